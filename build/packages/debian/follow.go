package debian

import "slices"

// dependents adds the installed packages whose dependency on the installed version the candidate
// does not satisfy.
func (m *marking) dependents() {
	now := m.st.slot.installed
	if now == nil {
		return
	}
	for _, d := range slices.Backward(m.st.slot.reverse) {
		parent := m.of(d.parent.slot)
		if parent.install() || !m.important(d) || !d.satisfiedBy(now) || d.satisfiedBy(m.candidate) ||
			slices.Contains(m.upgrades, parent) {
			continue
		}
		m.upgrades = append(m.upgrades, parent)
		m.because[parent] = m.reason(d)
	}
}

// siblings upgrades the installed packages that are built from the same source to the same
// version.
func (m *marking) siblings() {
	built := m.u.families[m.candidate.source]
	if built == nil {
		return
	}
	var found []*state
	for _, other := range built.source {
		st := m.of(other.slot)
		switch {
		case st == m.st || other.slot.installed == nil || other.slot.installed == other:
		case st.install() && st.target == other:
		case other.sourceVersion != m.candidate.sourceVersion || st.candidate != other:
		case !slices.Contains(found, st):
			found = append(found, st)
		}
	}
	slices.SortFunc(found, func(a, b *state) int { return a.slot.number - b.slot.number })
	for _, follow := range []bool{false, true} {
		for _, st := range found {
			m.markInstall(st, follow, m.depth+1, false, m.force, Reason{By: m.candidate, sibling: true})
		}
	}
}

// upgradeOrRemove upgrades the installed packages that the candidate makes impossible, and
// removes those that cannot be upgraded.
func (m *marking) upgradeOrRemove() bool {
	ok := true
	for _, st := range m.upgrades {
		if st.install() || m.markInstall(st, true, m.depth+1, false, m.force, m.because[st]) {
			continue
		}
		if !m.markDelete(st, false, m.depth+1, false, m.because[st]) {
			ok = false
			if !m.protected && !m.byUser {
				break
			}
		} else if m.protected {
			st.protected = true
		}
	}
	return ok
}

// removeLate removes the packages that had to wait until the candidate was sure to be installed.
func (m *marking) removeLate() bool {
	ok := true
	for _, st := range m.removals {
		if !m.markDelete(st, false, m.depth, false, m.because[st]) {
			ok = false
			if !m.protected && !m.byUser {
				break
			}
		}
	}
	return ok
}

// installNeeds installs what the candidate depends on, and recommends.
func (m *marking) installNeeds() bool {
	m.moves = m.moveAuto()
	ok := true
	for _, d := range m.needs {
		group := d.group()
		satisfied := m.any(d)&depTarget != 0
		switch {
		case satisfied && !m.protected:
			continue
		case satisfied:
			if d.kind.critical() && !m.protect(group) {
				ok = false
			}
			continue
		case m.st.slot.installed != nil && !m.force && !d.kind.critical() && !m.wanted(d):
			continue
		}
		if m.installOne(group) || !d.kind.critical() {
			continue
		}
		ok = false
		if !m.protected && !m.byUser {
			break
		}
	}
	return ok
}

// protect keeps the one package that satisfies a dependency of a package that must stay.
func (m *marking) protect(group []*dependency) bool {
	found := m.alternatives(group)
	if len(found) != 1 {
		return true
	}
	st := m.of(found[0].slot)
	if st.protected {
		return true
	}
	st.protected = true
	return m.markInstall(st, true, m.depth+1, false, m.force, m.reason(group[0]))
}

// wanted reports whether the upgrade of a package follows a recommendation: one that is new, or
// that was satisfied before.
func (m *marking) wanted(d *dependency) bool {
	isNew, was := true, false
	deps := m.u.relations(m.st.slot.installed)
	for n := 0; n < len(deps) && !was; n++ {
		old := deps[n]
		if old.kind.critical() || !m.important(old) || old.target != d.target {
			continue
		}
		isNew = false
		was = m.any(old)&depNow != 0 || m.groupNow(old)
		n += len(old.group()) - 1
	}
	return isNew || was
}

// groupNow reports whether some alternative of the group that a dependency belongs to is
// satisfied now.
func (m *marking) groupNow(d *dependency) bool {
	for n := d.index - 1; n >= 0 && d.parent.deps[n].or; n-- {
		if m.dep(d.parent.deps[n])&depNow != 0 {
			return true
		}
	}
	return false
}

// installOne installs the first package that can be installed and satisfies a dependency. A
// package that apt prefers by chance is noted.
func (m *marking) installOne(group []*dependency) bool {
	found := m.solutions(group, candidateVersion)
	for n, v := range found {
		st := m.of(v.slot)
		if st.candidate != v {
			continue
		}
		why := m.reason(m.asking(group, v))
		before := len(m.ambiguous)
		if rest := m.tied(group, found[n:]); len(rest) > 1 {
			m.ambiguous = append(m.ambiguous, ambiguity{m.candidate, group[0], rest})
		}
		if m.protected && group[0].kind.critical() && len(found) == 1 {
			if !m.markInstall(st, false, m.depth+1, false, m.force, why) {
				continue
			}
			st.protected = true
		}
		if !m.markInstall(st, true, m.depth+1, false, m.force, why) {
			m.ambiguous = m.ambiguous[:before]
			continue
		}
		if m.moves && v.slot.installed == nil {
			m.movesTo = append(m.movesTo, st)
		}
		return true
	}
	return false
}

// asking returns the alternative that a package satisfies.
func (m *marking) asking(group []*dependency, v *Package) *dependency {
	for _, d := range group {
		if slices.Contains(m.matching(d, candidateVersion), v) {
			return d
		}
	}
	return group[0]
}

// tied returns those packages at the begin of a list that apt has no rule to tell apart.
func (m *marking) tied(group []*dependency, found []*Package) []*Package {
	d := m.asking(group, found[0])
	n := 1
	for n < len(found) && m.asking(group, found[n]) == d && m.prefer(found[0], found[n], d) == 0 &&
		m.of(found[n].slot).candidate == found[n] && m.possible(found[n]) {
		n++
	}
	return found[:n]
}

// possible reports whether a package is not obviously out of the question.
func (m *marking) possible(p *Package) bool {
	st := m.of(p.slot)
	return m.changeable(st, install, m.depth, false) && (!st.protected || st.target == p)
}

// moveAuto reports whether a package that becomes a transitional one hands its mark of being
// wanted to what it depends on.
func (m *marking) moveAuto() bool {
	now, next := m.st.slot.installed, m.st.target
	if next == nil || m.st.auto || now == nil || now.section() == "" || next.section() == "" ||
		now.section() == next.section() {
		return false
	}
	return !inSection(now, m.settings.MoveAuto) && inSection(next, m.settings.MoveAuto)
}
