package debian

// maxDepth bounds how far the solver follows dependencies, as apt does.
const maxDepth = 3000

// changeable reports whether a slot may get another mode: not one that the user has decided
// about, one on hold, or one that the system needs.
func (s *solver) changeable(st *state, to mode, depth int, byUser bool) bool {
	switch {
	case depth > maxDepth || len(st.slot.versions) == 0:
		return false
	case byUser || st.mode == to:
		return true
	case st.protected:
		return false
	case to != keep && st.held && !s.settings.IgnoreHold:
		return false
	case to == remove && (st.slot.essential || st.slot.important):
		return false
	}
	return true
}

// markKeep leaves a slot as it is installed, or not installed.
func (s *solver) markKeep(st *state, depth int, byUser bool) bool {
	if !s.changeable(st, keep, depth, byUser) {
		return false
	}
	if st.mode == keep {
		return true
	}
	st.mode, st.target = keep, st.slot.installed
	s.update(st)
	return true
}

// markDelete removes a package, or does not install it.
func (s *solver) markDelete(st *state, purge bool, depth int, byUser bool, why Reason) bool {
	if !s.changeable(st, remove, depth, byUser) {
		return false
	}
	purged := st.slot.state == "" || st.slot.state == stateNone
	if (st.mode == remove || st.target == nil) && (purged || !purge) {
		return true
	}
	if !byUser && !s.deletable(st) {
		return false
	}
	st.purge = purge
	if !byUser && st.target != nil && inSection(st.target, s.settings.NeverMarkAuto) {
		s.markManual(st.target)
	}
	st.mode, st.target = remove, nil
	if st.slot.installed == nil && (purged || !purge) {
		st.mode = keep
	}
	st.why = why
	s.update(st)
	return true
}

// deletable reports whether the solver may drop a package that it was to install: not one that
// was asked for.
func (s *solver) deletable(st *state) bool {
	return st.slot.installed != nil || st.target == nil || st.status != 2 || st.auto
}

// markManual marks what a metapackage depends on as wanted, since the user wanted these packages
// when choosing it.
func (s *solver) markManual(p *Package) {
	for _, d := range s.u.relations(p) {
		if d.implicit || d.kind.negative() || !s.important(d) {
			continue
		}
		for _, v := range s.matching(d, installedVersion) {
			s.of(v.slot).auto = false
		}
	}
}

// setCandidate makes a version the candidate of its slot.
func (s *solver) setCandidate(p *Package) {
	st := s.of(p.slot)
	if st.candidate == p {
		return
	}
	if st.candidate == st.target && st.install() {
		st.target = p
	}
	st.candidate = p
	st.compare()
	s.update(st)
}

// discardCandidate makes the solver forget that there is another version. Dependencies do not see
// that, as in apt.
func (s *solver) discardCandidate(st *state) {
	s.healthOf(st)
	status := st.status
	st.candidate = st.target
	st.compare()
	st.status = status
}

// discardInstall undoes the installation of a package whose dependencies cannot be installed.
func (s *solver) discardInstall(st *state) {
	if st.mode == keep && st.target == st.candidate && st.candidate == st.slot.installed {
		return
	}
	st.target, st.mode = st.slot.installed, keep
	s.update(st)
	s.discardCandidate(st)
}

// installable reports whether the candidate of a slot can be installed at all.
func (s *solver) installable(st *state, follow, byUser bool) bool {
	return (byUser || s.inStep(st)) && (!follow || s.satisfiable(st))
}

// inStep reports whether a package with Multi-Arch: same has the version that its installed
// siblings have or get.
func (s *solver) inStep(st *state) bool {
	if st.mode == install && st.target == st.candidate {
		return true
	}
	c := st.candidate
	if c == nil || c == st.slot.installed || c.multiArch != maSame {
		return true
	}
	for _, sibling := range st.slot.family.slots {
		if sibling.installed == nil || sibling == st.slot {
			continue
		}
		other := s.of(sibling).candidate
		if other != nil && other.Version != c.Version && other.multiArch == maSame && other.downloadable() {
			return false
		}
	}
	return true
}

// satisfiable reports whether candidates satisfy what a candidate depends on. If not, it is a
// candidate no longer.
func (s *solver) satisfiable(st *state) bool {
	c := st.candidate
	if c == nil || c == st.slot.installed {
		return true
	}
	deps := s.u.relations(c)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		k := group[0].kind
		if !k.critical() || k.negative() || s.any(group[0])&(depTarget|depCandidate) != 0 {
			continue
		}
		if !st.protected {
			if st.slot.installed != nil {
				s.setCandidate(st.slot.installed)
			} else {
				s.healthOf(st)
				st.candidate = nil
			}
			if !st.delete() {
				st.mode = keep
				st.compare()
			}
		}
		return false
	}
	return true
}
