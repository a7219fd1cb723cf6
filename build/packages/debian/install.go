package debian

import "slices"

// marking is one call of markInstall: a package that is to be installed, and what has to change
// for it.
type marking struct {
	*solver
	st        *state
	candidate *Package
	depth     int
	force     bool // follow recommendations that were not followed before
	byUser    bool
	protected bool // the package was chosen already, and its dependencies are too

	needs    []*dependency // first of each group
	offends  []*dependency
	upgrades []*state
	removals []*state // for later
	because  map[*state]Reason
	moves    bool     // the mark of automatic packages goes to the dependencies
	movesTo  []*state // these
}

// markInstall installs the candidate of a slot. With follow it installs what the candidate
// depends on, and removes what it conflicts with. It reports whether that worked.
func (s *solver) markInstall(st *state, follow bool, depth int, byUser, force bool, why Reason) bool {
	asIs := st.protected && st.keep() && st.candidate != nil && st.candidate == st.slot.installed
	if !asIs && !s.changeable(st, install, depth, byUser) || st.candidate == nil {
		return false
	}
	if !st.protected && !s.policyBroken(st) && !s.broken(st) {
		switch {
		case st.candidate == st.slot.installed && st.target == nil:
			return s.markKeep(st, depth+1, byUser)
		case st.candidate == st.slot.installed, st.mode == install:
			return true
		}
	}
	if !s.installable(st, follow, byUser) {
		return false
	}
	m := &marking{solver: s, st: st, depth: depth, force: force, byUser: byUser, because: map[*state]Reason{}}
	if byUser {
		s.choose(st, follow, byUser, why)
	}
	if !follow {
		if !byUser {
			s.choose(st, follow, byUser, why)
		}
		return true
	}
	return m.follow(why)
}

// follow does what the candidate asks for.
func (m *marking) follow(why Reason) bool {
	st := m.st
	early := !st.protected && !m.byUser // the first failure ends it
	m.candidate = st.candidate
	m.collect()
	ok := m.clear()
	if !ok && early {
		return false
	}
	m.dependents()
	if !m.byUser {
		m.choose(st, true, m.byUser, why)
	}
	m.protected = st.protected
	if !m.protected {
		st.protected = true
		defer func() { st.protected = false }()
	}
	if !m.settings.NoSourceUpgrade {
		m.siblings()
	}
	for _, step := range []func() bool{m.upgradeOrRemove, m.installNeeds, m.removeLate} {
		if !step() {
			if early {
				m.discardInstall(st)
				return false
			}
			ok = false
		}
	}
	if m.moves {
		st.auto = true
		for _, dep := range m.movesTo {
			dep.auto = false
		}
	}
	return ok
}

// choose sets the state of a package that is installed or upgraded.
func (s *solver) choose(st *state, follow, byUser bool, why Reason) {
	if st.protected && st.target == st.candidate {
		return
	}
	if st.target != st.candidate || st.mode != install {
		st.why = why
	}
	st.mode, st.target = install, st.candidate
	switch {
	case byUser && !s.settings.MarkAuto:
		if st.status == 2 || st.slot.installed != nil && (follow || !st.marked) {
			st.auto = false
		}
	case st.status == 2:
		st.auto = true
	}
	if st.candidate == st.slot.installed {
		st.mode = keep
	}
	s.update(st)
}

// collect sorts the relations of the candidate that are not fulfilled.
func (m *marking) collect() {
	deps := m.u.relations(m.candidate)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if m.any(group[0])&depTarget != 0 && !m.st.protected || !m.important(group[0]) {
			continue
		}
		if group[0].kind.negative() {
			m.offends = append(m.offends, group[0])
		} else {
			m.needs = append(m.needs, group[0])
		}
	}
}

// reason says that a relation of the candidate is why something changes.
func (m *marking) reason(d *dependency) Reason { return Reason{By: m.candidate, dep: d} }

// clear deals with the packages that the candidate conflicts with: what was to be installed is
// not, and what is installed is upgraded or removed.
func (m *marking) clear() bool {
	ok := true
	var bad []*state
	for _, d := range m.offends {
		if !m.clearCandidates(d, &bad) {
			ok = false
			if !m.st.protected && !m.byUser {
				break
			}
		}
		if !m.clearInstalled(d, bad) {
			ok = false
			if !m.st.protected && !m.byUser {
				break
			}
		}
	}
	return ok
}

// clearCandidates is clear for candidates that a relation forbids.
func (m *marking) clearCandidates(d *dependency, bad *[]*state) bool {
	ok := true
	for _, v := range m.solutions([]*dependency{d}, candidateVersion) {
		st := m.of(v.slot)
		if st.candidate != v {
			continue
		}
		switch {
		case v.slot.installed == v:
			if m.removeFor(st, d) {
				continue
			}
		case st.install() && !m.markKeep(st, m.depth, false):
		case m.st.protected:
			m.discardCandidate(st)
			if v.slot.installed == nil {
				st.protected = true
			}
			continue
		default:
			*bad = append(*bad, st)
			continue
		}
		ok = false
		if !m.st.protected && !m.byUser {
			break
		}
	}
	return ok
}

// clearInstalled is clear for installed versions: those with another candidate are upgraded
// later.
func (m *marking) clearInstalled(d *dependency, bad []*state) bool {
	ok := true
	for _, v := range m.solutions([]*dependency{d}, installedVersion) {
		st := m.of(v.slot)
		switch {
		case st.candidate != v && st.candidate != nil && !slices.Contains(bad, st):
			m.upgrades = append(m.upgrades, st)
			m.because[st] = m.reason(d)
		case st.candidate == v.slot.installed: // done with the candidates
		case !m.removeFor(st, d):
			ok = false
			if !m.st.protected && !m.byUser {
				return false
			}
		}
	}
	return ok
}

// removeFor removes an installed package that cannot be upgraded, at once if the candidate is
// sure to be installed.
func (m *marking) removeFor(st *state, d *dependency) bool {
	if !m.st.protected {
		if st.delete() {
			return true
		}
		if !m.changeable(st, remove, m.depth, false) || !m.deletable(st) {
			return false
		}
		m.removals = append(m.removals, st)
		m.because[st] = m.reason(d)
		return true
	}
	if !st.delete() && !m.markDelete(st, false, m.depth+1, false, m.reason(d)) {
		return false
	}
	m.discardCandidate(st)
	st.protected = true
	return true
}
