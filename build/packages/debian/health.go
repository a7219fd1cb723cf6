package debian

import (
	"slices"
	"strings"
)

// health says which of the versions of a slot have their dependencies.
type health struct {
	now, nowPolicy       bool
	target, targetPolicy bool
}

// important reports whether the solver installs what a dependency asks for.
func (s *solver) important(d *dependency) bool {
	switch {
	case d.kind.critical():
		return true
	case d.kind == recommends:
		return !s.settings.NoRecommends || inSection(d.parent, s.settings.RecommendsSections)
	}
	return s.settings.Suggests
}

// inSection reports whether a package is in one of these sections, which may have an area before
// them.
func inSection(p *Package, sections []string) bool {
	section := p.section()
	if section == "" || len(sections) == 0 {
		return false
	}
	last := section
	if n := strings.LastIndexByte(section, '/'); n >= 0 {
		last = section[n+1:]
	} else {
		section = "/" + section
	}
	return slices.Contains(sections, section) || slices.Contains(sections, last)
}

// healthOf returns which versions of a slot have their dependencies.
func (s *solver) healthOf(st *state) health {
	if !st.known {
		st.health = health{true, true, true, true}
		if st.slot.installed != nil {
			st.health.now, st.health.nowPolicy = s.complete(st.slot.installed, depNow)
		}
		if st.target != nil {
			st.health.target, st.health.targetPolicy = s.complete(st.target, depTarget)
		}
		st.known = true
	}
	return st.health
}

// complete reports whether a version has what it depends on, and also what it recommends.
func (s *solver) complete(p *Package, which depState) (critical, policy bool) {
	policy = true
	deps := s.u.relations(p)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if !s.important(group[0]) || s.any(group[0])&which != 0 {
			continue
		}
		if group[0].kind.critical() {
			return false, false
		}
		policy = false
	}
	return true, policy
}

// broken reports whether the version in the end lacks a dependency.
func (s *solver) broken(st *state) bool { return st.target != nil && !s.healthOf(st).target }

// policyBroken reports whether it lacks a dependency or a recommendation.
func (s *solver) policyBroken(st *state) bool {
	return st.target != nil && !s.healthOf(st).targetPolicy
}

// brokenCount returns the number of packages that lack a dependency.
func (s *solver) brokenCount() (n int) {
	for _, st := range s.active {
		if s.broken(st) {
			n++
		}
	}
	return n
}
