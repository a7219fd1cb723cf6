package debian

import (
	"regexp"
	"slices"
	"strings"
)

// autoRemove marks the packages that are needed, and removes the others if the settings say so. A
// package that was chosen by the solver in this request and is not needed after all is not
// installed.
func (s *solver) autoRemove() {
	s.sweep()
	var tooMuch []*state
	all := s.each()
	slices.SortStableFunc(all, func(a, b *state) int { return strings.Compare(a.slot.family.name, b.slot.family.name) })
	for _, st := range all {
		switch {
		case !st.garbage:
		case s.settings.AutoRemove && !s.settings.NoRemove:
			if st.slot.installed != nil {
				s.markDelete(st, s.settings.Purge, 0, false, Reason{text: "no longer needed"})
			} else {
				s.markKeep(st, 0, false)
			}
		case st.install() && st.slot.installed == nil:
			tooMuch = append(tooMuch, st)
			s.markDelete(st, false, 0, false, Reason{})
		}
		if st.garbage {
			s.between()
		}
	}
	if s.brokenCount() == 0 && !slices.ContainsFunc(s.active, s.policyBroken) {
		return
	}
	for len(tooMuch) > 0 {
		n := slices.IndexFunc(tooMuch, s.neededAfterAll)
		if n < 0 {
			return
		}
		s.markInstall(tooMuch[n], false, 0, false, false, tooMuch[n].why)
		s.between()
		tooMuch = slices.Delete(tooMuch, n, n+1)
	}
}

// neededAfterAll reports whether a package that stays or is installed depends on one that was
// dropped.
func (s *solver) neededAfterAll(dropped *state) bool {
	if dropped.candidate == nil {
		return false
	}
	targets := []*slot{dropped.slot}
	for _, p := range dropped.candidate.provides {
		targets = append(targets, p.target)
	}
	for _, st := range s.active {
		var p *Package
		switch {
		case st.slot.installed != nil && st.keep():
			p = st.slot.installed
		case st.install():
			p = st.candidate
		}
		if p == nil {
			continue
		}
		for _, d := range s.u.relations(p) {
			if !d.kind.negative() && s.important(d) && slices.Contains(targets, d.target) {
				return true
			}
		}
	}
	return false
}

// sweep finds the garbage: packages that were installed automatically, and that nothing needs.
func (s *solver) sweep() {
	var never []*regexp.Regexp
	for _, pattern := range s.settings.NeverAutoRemove {
		if r, err := regexp.Compile(pattern); err == nil {
			never = append(never, r)
		}
	}
	explored := map[*slot]bool{}
	all := s.each()
	for _, st := range all {
		st.marked, st.garbage = false, false
	}
	for _, st := range all {
		if st.marked || st.boring() || !s.root(st, never) {
			continue
		}
		s.needs(st, explored)
	}
	for _, st := range all {
		now := st.slot.installed
		if now != nil && now.priority == 1 {
			continue
		}
		st.garbage = !st.marked && (now != nil || st.install())
	}
}

// boring reports whether a slot is empty in the end.
func (st *state) boring() bool {
	if st.slot.installed == nil {
		return st.keep()
	}
	return st.delete()
}

// root reports whether a package is needed by itself.
func (s *solver) root(st *state, never []*regexp.Regexp) bool {
	now := st.slot.installed
	if !st.auto || st.slot.essential || st.slot.important || now != nil && now.priority == 1 {
		return true
	}
	if slices.ContainsFunc(never, func(r *regexp.Regexp) bool { return r.MatchString(st.slot.family.name) }) {
		return true
	}
	return st.protected || st.held && !s.settings.IgnoreHold
}

// final returns the version of a slot in the end, as the search for garbage sees it.
func (st *state) final() *Package {
	if st.install() {
		return st.target
	}
	return st.slot.installed
}

// needs marks a package, and all that it depends on or recommends.
func (s *solver) needs(st *state, explored map[*slot]bool) {
	p := st.final()
	if p == nil || st.marked {
		return
	}
	if st.boring() {
		explored[st.slot] = true
		return
	}
	st.marked = true
	for _, d := range s.u.relations(p) {
		if explored[d.target] || d.kind.negative() || d.kind == recommends && s.settings.KeepNoRecommends ||
			d.kind == suggests && s.settings.KeepNoSuggests {
			continue
		}
		found, unsure := s.finalProviders(d)
		if !unsure {
			explored[d.target] = true
		}
		for _, v := range found {
			s.needs(s.of(v.slot), explored)
		}
	}
}

// finalProviders returns the packages that satisfy a dependency in the end: of those that are
// built from one source, the newest. unsure reports whether another dependency on the same target
// may have another answer.
func (s *solver) finalProviders(d *dependency) (found []*Package, unsure bool) {
	target := s.of(d.target)
	if v := target.final(); v != nil && !target.boring() {
		if d.satisfiedBy(v) {
			found = append(found, v)
		} else {
			unsure = true
		}
	}
	if len(found) == 0 && !unsure {
		target.marked = true
	}
	for _, p := range slices.Backward(d.target.providers) {
		st := s.of(p.owner.slot)
		switch {
		case st.boring() || st.final() != p.owner:
		case !d.satisfiedByProvided(p):
			unsure = true
		default:
			found = append(found, p.owner)
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(p *Package) bool {
		return slices.ContainsFunc(found, func(other *Package) bool {
			return other.source == p.source && Compare(other.sourceVersion, p.sourceVersion) > 0
		})
	}), unsure
}
