package debian

import (
	"cmp"
	"slices"
)

// selector is which version of a slot may satisfy a dependency.
type selector uint8

const (
	candidateVersion selector = iota
	installedVersion
)

// matching returns the versions that match a dependency: that of its target, then those of the
// packages that provide it.
func (s *solver) matching(d *dependency, which selector) []*Package {
	version := func(own *slot) *Package {
		if which == installedVersion {
			return own.installed
		}
		return s.of(own).candidate
	}
	if which == candidateVersion && (s.dep(d)&depCandidate == 0) != d.kind.negative() {
		return nil
	}
	var found []*Package
	add := func(p *Package) {
		if !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	if v := version(d.target); v != nil && !d.ignores(d.target) && d.satisfiedBy(v) {
		add(v)
	}
	for _, p := range slices.Backward(d.target.providers) {
		if !d.ignoresProvided(p) && version(p.owner.slot) == p.owner && d.satisfiedByProvided(p) {
			add(p.owner)
		}
	}
	return found
}

// solutions returns the packages that match a dependency or one of its alternatives, in the order
// in which apt tries them: what is installed, then alternative by alternative.
func (s *solver) solutions(group []*dependency, which selector) []*Package {
	var upgrades, fresh []*Package
	for _, d := range group {
		found := s.matching(d, which)
		slices.SortStableFunc(found, func(a, b *Package) int {
			return cmp.Or(s.prefer(a, b, d), cmp.Compare(b.slot.number, a.slot.number))
		})
		for _, p := range found {
			if p.slot.installed != nil {
				upgrades = append(upgrades, p)
			} else {
				fresh = append(fresh, p)
			}
		}
	}
	all := unique(append(upgrades, fresh...))
	if group[0].kind.negative() {
		return all
	}
	return slices.DeleteFunc(all, func(p *Package) bool {
		st := s.of(p.slot)
		return st.protected && (st.delete() || st.keep() && p.slot.installed == nil)
	})
}

// unique leaves out a package that follows itself.
func unique(packages []*Package) []*Package { return slices.Compact(packages) }

// alternatives returns the packages that may satisfy a group of dependencies, installed or not.
func (s *solver) alternatives(group []*dependency) []*Package {
	var all []*Package
	for _, d := range group {
		for _, which := range []selector{candidateVersion, installedVersion} {
			for _, p := range s.matching(d, which) {
				if !slices.Contains(all, p) {
					all = append(all, p)
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(p *Package) bool {
		st := s.of(p.slot)
		return st.protected && (st.delete() || st.keep() && p.slot.installed == nil)
	})
}

// prefer compares two packages that satisfy a dependency by apt's rules. Zero means that apt has
// no reason to prefer one of them.
func (s *solver) prefer(a, b *Package, d *dependency) int {
	sa, sb := s.of(a.slot), s.of(b.slot)
	rules := []func(p *Package, st *state) bool{
		func(_ *Package, st *state) bool { return st.protected },
		func(p *Package, _ *state) bool { return p.multiArch == maSame && p.slot.family.anyInstalled() },
		func(p *Package, _ *state) bool { return p.slot.installed != nil },
		func(p *Package, _ *state) bool { return p.slot.family == d.target.family },
		func(p *Package, _ *state) bool { return p.slot.essential },
		func(p *Package, _ *state) bool { return p.slot.important },
	}
	for _, rule := range rules {
		if x, y := rule(a, sa), rule(b, sb); x != y {
			if x {
				return -1
			}
			return 1
		}
	}
	if a.slot.arch != b.slot.arch {
		return cmp.Compare(s.u.rank(a.slot.arch), s.u.rank(b.slot.arch))
	}
	return cmp.Compare(a.priority, b.priority)
}

// anyInstalled reports whether the package is installed for some architecture.
func (f *family) anyInstalled() bool {
	return slices.ContainsFunc(f.slots, func(s *slot) bool { return s.installed != nil })
}

// rank returns the place of an architecture among those that packages are installed for.
func (u *Universe) rank(arch string) int {
	if arch == u.native {
		return 0
	}
	if n := slices.Index(u.foreign, arch); n >= 0 {
		return n + 1
	}
	return len(u.foreign) + 1
}
