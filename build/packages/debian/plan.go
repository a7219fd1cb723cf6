package debian

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Action is what happens to a package.
type Action string

// The actions of a plan.
const (
	Install   Action = "install"
	Upgrade   Action = "upgrade"
	Downgrade Action = "downgrade"
	Reinstall Action = "reinstall"
	Remove    Action = "remove"
	Purge     Action = "purge"
)

// Reason says why a package changes: it was asked for, or another package needs that.
type Reason struct {
	Asked bool     // by name, or as part of an upgrade or autoremove
	By    *Package // the package whose relation asks for the change

	dep     *dependency
	sibling bool // By comes from the same source package
	text    string
}

// Relation returns the field and the relation that ask for the change: "Depends: libc6 (>=
// 2.36)".
func (r Reason) Relation() string {
	if r.dep == nil {
		return ""
	}
	return r.dep.kind.String() + ": " + r.dep.text()
}

// String returns the reason as a phrase.
func (r Reason) String() string {
	switch {
	case r.text != "":
		return r.text
	case r.Asked:
		return "asked for"
	case r.By == nil:
		return "to repair dependencies"
	case r.sibling:
		return "built from the same source as " + r.By.Name
	case r.dep == nil:
		return "because of " + r.By.Name
	}
	return r.By.Name + " " + r.Relation()
}

// Change is what happens to one package.
type Change struct {
	Action Action
	Name   string
	Arch   string // as dpkg has it, "all" among them
	Old    string // the version that is installed, or nothing
	New    string // the version in the end, or nothing
	// Package is the new version, or the one that is removed.
	Package *Package
	Why     Reason
	Auto    bool // the package counts as installed automatically in the end
}

// String returns the change as a line of a list.
func (c Change) String() string {
	version := c.New
	if c.Old != "" && c.New != "" && c.Old != c.New {
		version = c.Old + " -> " + c.New
	} else if c.New == "" {
		version = c.Old
	}
	return fmt.Sprintf("%s %s:%s %s (%s)", c.Action, c.Name, c.Arch, version, c.Why)
}

// Plan is the answer to a request.
type Plan struct {
	Changes []Change // by name and architecture
	auto    []mark
	known   map[mark]bool
}

// mark is the name and the architecture of an entry of extended_states.
type mark struct{ name, arch string }

// Auto reports whether a package counts as installed automatically after the plan.
func (p *Plan) Auto(name, arch string) bool { return p.known[mark{name, arch}] }

// ExtendedStates returns the file extended_states as apt leaves it.
func (p *Plan) ExtendedStates() string {
	var b strings.Builder
	for _, m := range p.auto {
		fmt.Fprintf(&b, "Package: %s\nArchitecture: %s\nAuto-Installed: 1\n\n", m.name, m.arch)
	}
	return b.String()
}

// plan reads the changes from the states.
func (s *solver) plan() *Plan {
	p := &Plan{known: map[mark]bool{}}
	for _, st := range s.each() {
		if c, ok := st.change(); ok {
			p.Changes = append(p.Changes, c)
		}
		if st.auto && st.target != nil {
			m := mark{st.slot.family.name, st.slot.arch}
			p.auto, p.known[m] = append(p.auto, m), true
		}
	}
	// A package can be purged that is not installed, but has left its configuration.
	for _, st := range s.states {
		if st != nil && !st.active && st.delete() && st.purge {
			p.Changes = append(p.Changes, Change{
				Action: Purge, Name: st.slot.family.name, Arch: st.slot.arch, Why: st.why, Package: st.slot.left(),
			})
		}
	}
	slices.SortFunc(p.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Arch, b.Arch))
	})
	slices.SortFunc(p.auto, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.arch, b.arch))
	})
	return p
}

// left returns the entry of the status file for a package that is removed but not purged.
func (s *slot) left() *Package {
	for _, v := range s.versions {
		if !v.downloadable() {
			return v
		}
	}
	return nil
}

// change returns what happens to a slot, if anything does.
func (st *state) change() (Change, bool) {
	c := Change{Name: st.slot.family.name, Package: st.target, Why: st.why, Auto: st.auto}
	if now := st.slot.installed; now != nil {
		c.Old = now.Version
	}
	if st.target != nil {
		c.New = st.target.Version
	}
	switch {
	case st.delete():
		c.Action, c.Package, c.Auto = Remove, st.slot.installed, false
		if st.purge {
			c.Action = Purge
		}
	case st.install() && st.slot.installed == nil:
		c.Action = Install
	case st.install() && st.status < 0:
		c.Action = Downgrade
	case st.install():
		c.Action = Upgrade
	case st.reinstall && st.target != nil:
		c.Action = Reinstall
	}
	if c.Package == nil || c.Action == "" {
		return Change{}, false
	}
	c.Arch = c.Package.Architecture
	return c, true
}
