package run

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// cmdlet is a command of PowerShell that changes files. Parameters have the names that their
// documentation has, in lower case.
type cmdlet struct {
	names    []string // the first is its own, the others are aliases
	values   []string // parameters with a value; the first ones may stand without their names
	unnamed  int      // how many
	switches []string
	required []string
	run      func(r *runner, p params) error
}

// params are the parameters of a call.
type params struct {
	name   string
	values map[string][]string
	set    map[string]bool
}

// one returns the value of a parameter that has no list.
func (p params) one(name string) string {
	if len(p.values[name]) == 0 {
		return ""
	}
	return p.values[name][0]
}

// cmdlets returns the commands that are known.
func cmdlets() []cmdlet {
	return []cmdlet{
		{names: []string{"New-Item", "ni"}, values: []string{"path", "itemtype"}, unnamed: 1, switches: []string{"force"}, required: []string{"path", "itemtype"}, run: newItem},
		{names: []string{"mkdir", "md"}, values: []string{"path"}, unnamed: 1, switches: []string{"force"}, required: []string{"path"}, run: newItem},
		{names: []string{"Copy-Item", "cp", "copy", "cpi"}, values: []string{"path", "destination"}, unnamed: 2, switches: []string{"force", "recurse"}, required: []string{"path", "destination"}, run: copyItem},
		{names: []string{"Move-Item", "mv", "move", "mi"}, values: []string{"path", "destination"}, unnamed: 2, switches: []string{"force"}, required: []string{"path", "destination"}, run: moveItem},
		{names: []string{"Remove-Item", "rm", "del", "erase", "rd", "ri", "rmdir"}, values: []string{"path"}, unnamed: 1, switches: []string{"force", "recurse"}, required: []string{"path"}, run: removeItem},
		{names: []string{"Rename-Item", "ren", "rni"}, values: []string{"path", "newname"}, unnamed: 2, switches: []string{"force"}, required: []string{"path", "newname"}, run: renameItem},
		{names: []string{"Expand-Archive"}, values: []string{"path", "destinationpath"}, unnamed: 2, switches: []string{"force"}, required: []string{"path", "destinationpath"}, run: expandArchive},
		{names: []string{"Write-Host"}, values: []string{"object"}, unnamed: 1, run: say},
		{names: []string{"Write-Output", "echo", "write"}, values: []string{"object"}, unnamed: 1, run: say},
	}
}

func say(*runner, params) error { return nil }

// cmdletOf returns the command of a call and its parameters.
func cmdletOf(c script.Call) (cmdlet, params, error) {
	p := params{name: c.Name, values: map[string][]string{}, set: map[string]bool{}}
	all := cmdlets()
	n := slices.IndexFunc(all, func(k cmdlet) bool {
		return slices.ContainsFunc(k.names, func(name string) bool { return strings.EqualFold(name, c.Name) })
	})
	if n < 0 {
		if why := elsewhere(c.Name); why != "" {
			return cmdlet{}, p, mistake.At(c.Name, "RUN %s: no command is run here: %s", c.Name, why)
		}
		return cmdlet{}, p, mistake.At(c.Name, "RUN %s needs PowerShell on a machine of the image's system, and no command is run here: %s", c.Name, instead)
	}
	k := all[n]
	var unnamed [][]string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		param := strings.ToLower(a.Param)
		switch {
		case a.Param == "":
			unnamed = append(unnamed, a.Values)
		case slices.Contains(k.switches, param):
			p.set[param] = true
		case param == "type" && slices.Contains(k.values, "itemtype"), param == "literalpath" && slices.Contains(k.values, "path"), param == "erroraction", slices.Contains(k.values, param):
			if i++; i == len(c.Args) || c.Args[i].Param != "" {
				return k, p, mistake.At("-"+a.Param, "RUN %s: -%s has no value", c.Name, a.Param)
			}
			values := c.Args[i].Values
			switch param {
			case "erroraction":
				continue // a command that fails is an error
			case "type":
				param = "itemtype"
			case "literalpath":
				if slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, "*?") }) {
					return k, p, mistake.At("-"+a.Param, "RUN %s: a literal path with a wildcard is no file on Windows", c.Name)
				}
				param = "path"
			}
			if p.values[param] != nil {
				return k, p, mistake.At("-"+a.Param, "RUN %s: -%s is there twice", c.Name, a.Param)
			}
			p.values[param] = values
		default:
			return k, p, mistake.At("-"+a.Param, "RUN %s: -%s is not known here (known are -%s): write the parameters in full, and leave others out", c.Name, a.Param, strings.Join(slices.Concat(k.values, k.switches), " -"))
		}
	}
	return k, p, k.place(p, unnamed)
}

// place gives the values without a name to the parameters that have none yet.
func (k cmdlet) place(p params, unnamed [][]string) error {
	for _, name := range k.values[:k.unnamed] {
		if p.values[name] == nil && len(unnamed) > 0 {
			p.values[name], unnamed = unnamed[0], unnamed[1:]
		}
	}
	if len(unnamed) > 0 {
		return mistake.At(unnamed[0][0], "RUN %s: %s is one value too many", p.name, unnamed[0][0])
	}
	for _, name := range k.required {
		if p.values[name] == nil {
			return mistake.At(p.name, "RUN %s: write its -%s", p.name, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		for _, v := range p.values[name] {
			if name != "object" && (v == "" || strings.ContainsAny(v, "[]<>|\"\x00") || strings.ContainsAny(v, "*?") && (name != "path" || strings.ContainsAny(path.Dir(tree.Slashed(v)), "*?"))) {
				return mistake.At(v, "RUN %s: %q is not a plain path, or one with * in its last part", p.name, v)
			}
		}
		if name != "path" && name != "object" && len(p.values[name]) > 1 {
			return mistake.At(p.name, "RUN %s: -%s has more than one value", p.name, name)
		}
	}
	return nil
}

// call carries out a command of PowerShell.
func (r *runner) call(c script.Call) error {
	k, p, err := cmdletOf(c)
	if err != nil {
		return err
	}
	return k.run(r, p)
}

// items returns what a path leads to, or the files that a pattern matches. A * matches names that
// begin with a dot, too.
// Files of the base may be hidden, which it leaves out without -Force.
func (r *runner) items(p params, name string) (found []spot, pattern bool, err error) {
	name = strings.TrimRight(tree.Slashed(name), "/")
	if !strings.ContainsAny(name, "*?") {
		s, err := r.spot(name, false)
		if err == nil && s.n.Kind == layer.Symlink {
			err = fmt.Errorf("%s is a link, which PowerShell follows or not by its version: name what it leads to", name)
		}
		return []spot{s}, false, err
	}
	dir := path.Dir(name)
	if !strings.Contains(name, "/") {
		dir = "."
	}
	at, err := r.spot(dir, true)
	if err != nil {
		return nil, true, err
	}
	names, err := r.list(at.p)
	if err != nil {
		return nil, true, err
	}
	for _, n := range names {
		ok, err := path.Match(layer.Fold(strings.ReplaceAll(path.Base(name), "[", "\\[")), layer.Fold(n))
		if err != nil {
			return nil, true, err
		}
		if !ok {
			continue
		}
		s, _, err := r.items(p, path.Join(at.p, n))
		switch {
		case err != nil:
			return nil, true, err
		case r.t.Nodes[s[0].p] == nil && !p.set["force"]:
			return nil, true, fmt.Errorf("%s matches %s of the base, which may be hidden: write -Force, or name the files", name, n)
		}
		found = append(found, s...)
	}
	return found, true, nil
}

// target is where an item goes: into a directory that is there, or to a name whose directory is.
func (r *runner) target(from spot, dest string) (to string, there *tree.Node, err error) {
	d, err := r.find(dest, true)
	switch {
	case err != nil:
		return "", nil, err
	case d.n == nil && r.unknown(d.p):
		return "", nil, fmt.Errorf("%s: %w", dest, errUnknown) // it may be a directory
	case d.n != nil && d.n.Kind == layer.Dir:
		to = path.Join(d.p, path.Base(from.p))
		there, err = r.t.Lstat(to)
		if err == nil && there == nil && r.unknown(to) {
			err = fmt.Errorf("%s: %w", to, errUnknown)
		}
		return to, there, err
	case d.slash:
		return "", nil, fmt.Errorf("there is no directory %s: make it before", dest)
	case d.n == nil:
		dir, err := r.t.Lstat(path.Dir(d.p))
		if err == nil && (dir == nil || dir.Kind != layer.Dir) {
			err = fmt.Errorf("there is no directory %s: make it before", path.Dir(d.p))
		}
		return d.p, nil, err
	}
	return d.p, d.n, nil
}

var errWildcard = errors.New("a wildcard is known here for Copy-Item, Move-Item and Remove-Item only: name the files")
