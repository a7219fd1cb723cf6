package dpkg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/build/packages/dpkg/order"
)

// apt carries out the changes by the calls of dpkg that apt-get would make.
func (in *installer) apt(ctx context.Context) error {
	if in.tx.Auto != nil {
		if err := in.writeExtendedStates(); err != nil {
			return err
		}
	}
	if len(in.tx.Changes) == 0 {
		return nil
	}
	steps, debs, err := in.order()
	if err != nil {
		return err
	}
	selections := in.selections()
	if len(selections) > 0 {
		if err := in.selectWanted(selections); err != nil {
			return err
		}
	}
	if err := in.carryOut(ctx, steps, debs); err != nil {
		return err
	}
	return in.carryOutPending(ctx, selections)
}

// order returns the changes in apt's order, and the packages that are unpacked by their names.
func (in *installer) order() ([]order.Step, map[string]*deb.Deb, error) {
	arch := in.tx.Architecture
	ps := order.New(arch)
	text, err := tree.ReadText(in.t, statusFile)
	if err != nil {
		return nil, nil, err
	}
	err = control.Parse(string(text), func(_ int, s control.Stanza) error { return ps.Installed(s) })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", statusFile, err)
	}
	debs := map[string]*deb.Deb{}
	for _, c := range in.tx.Changes {
		if c.Deb == nil {
			name, of, ok := strings.Cut(c.Name, ":")
			if !ok {
				of = arch
			}
			ps.Remove(name, of, c.Purge)
			continue
		}
		if err := ps.Install(c.Deb.Control, c.Priority); err != nil {
			return nil, nil, fmt.Errorf("package %s: %w", c.Deb.File, err)
		}
		of := c.Deb.Architecture
		if of == "all" {
			of = arch
		}
		debs[c.Deb.Package+":"+of] = c.Deb
	}
	steps, err := ps.Steps()
	return steps, debs, err
}

// carryOut makes a call of dpkg for changes of the same kind that follow one another.
func (in *installer) carryOut(ctx context.Context, steps []order.Step, debs map[string]*deb.Deb) error {
	removal := func(op order.Op) bool { return op == order.Remove || op == order.Purge }
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, func(s order.Step) bool {
			return s.Op != steps[0].Op && (!removal(s.Op) || !removal(steps[0].Op))
		})
		if n < 0 {
			n = len(steps)
		}
		group := steps[:n]
		steps = steps[n:]
		var names []string
		for _, s := range group {
			names = append(names, in.named(s))
		}
		var err error
		switch group[0].Op {
		case order.Unpack:
			var list []*deb.Deb
			for _, s := range group {
				list = append(list, debs[s.Name+":"+s.Arch])
			}
			in.called("--unpack", names)
			err = in.unpack(ctx, actUnpack, list)
		case order.Configure:
			in.called("--configure", names)
			err = in.configureNamed(ctx, -1, names)
		default:
			names = slices.DeleteFunc(names, func(n string) bool { return !in.installed(n) })
			if len(names) > 0 {
				in.called("--remove", names)
				err = in.remove(ctx, actRemove, names)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// carryOutPending makes the calls for what is left: apt lets dpkg decide its order.
func (in *installer) carryOutPending(ctx context.Context, selections []selection) error {
	if slices.ContainsFunc(selections, func(s selection) bool { return s.want == wantPurge }) {
		in.called("--configure --pending", nil)
		if err := in.configurePending(ctx, -1); err != nil {
			return err
		}
		var left []selection
		for _, s := range selections {
			if s.want == wantPurge && in.known(s.name) {
				left = append(left, s)
			}
		}
		if len(left) > 0 {
			if err := in.selectWanted(left); err != nil {
				return err
			}
			in.called("--purge --pending", nil)
			if err := in.removePending(ctx, actPurge); err != nil {
				return err
			}
		}
	}
	in.called("--configure --pending", nil)
	return in.configurePending(ctx, 0)
}

func (in *installer) called(what string, names []string) {
	in.report.Calls = append(in.report.Calls, strings.TrimSpace(what+" "+strings.Join(names, " ")))
}

// named returns the name by which dpkg knows the package of a step.
func (in *installer) named(s order.Step) string {
	if s.Arch == in.tx.Architecture {
		return s.Name
	}
	return s.Name + ":" + s.Arch
}

// selection is what is wanted of a package.
type selection struct{ name, want string }

// selections returns which packages are to go.
func (in *installer) selections() []selection {
	var list []selection
	for _, c := range in.tx.Changes {
		if c.Deb != nil {
			continue
		}
		want := wantDeinstall
		if c.Purge {
			want = wantPurge
		}
		list = append(list, selection{c.Name, want})
	}
	return list
}

// selectWanted is a call of dpkg --set-selections.
func (in *installer) selectWanted(list []selection) error {
	db, err := load(in.t, in.tx.Architecture)
	if err != nil {
		return err
	}
	for _, s := range list {
		p, err := db.named(s.name)
		if err != nil {
			return err
		}
		if p.state == notInstalled {
			return fmt.Errorf("package %s is not installed, and cannot be removed", s.name)
		}
		p.want = s.want
		if err := db.note(p); err != nil {
			return err
		}
	}
	return db.close()
}

// state returns how far a package is installed.
func (in *installer) state(name string) state {
	db, err := load(in.t, in.tx.Architecture)
	if err != nil {
		return notInstalled // the next call of dpkg says why
	}
	p, err := db.named(name)
	if err != nil {
		return notInstalled
	}
	return p.state
}

// installed reports whether more of a package is there than its configuration.
func (in *installer) installed(name string) bool { return in.state(name) > configFiles }

// known reports whether anything of a package is there.
func (in *installer) known(name string) bool { return in.state(name) > notInstalled }
