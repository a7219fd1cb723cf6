package debian

import "slices"

// upgradeInstalled upgrades what can be upgraded without installing or removing a package.
func (s *solver) upgradeInstalled() bool {
	for _, st := range s.each() {
		if st.install() {
			s.resolver.protectSlot(st)
		}
		if st.held && !s.settings.IgnoreHold || st.slot.installed == nil || st.target == nil {
			continue
		}
		s.markInstall(st, false, 0, false, false, Reason{Asked: true})
	}
	return s.resolver.repairByKeep()
}

// upgradeWithNew upgrades what can be upgraded without removing a package.
func (s *solver) upgradeWithNew() bool {
	for _, st := range s.each() {
		if st.held && !s.settings.IgnoreHold || st.slot.installed == nil || st.target == nil {
			continue
		}
		s.markInstall(st, false, 0, false, false, Reason{Asked: true})
	}
	for _, st := range s.each() {
		if st.install() {
			s.markInstall(st, true, 0, false, false, Reason{Asked: true})
		}
	}
	for _, st := range s.each() {
		if st.delete() {
			s.markKeep(st, 0, false)
		}
	}
	return s.resolver.repairByKeep()
}

// distUpgrade upgrades everything, and installs and removes what that needs.
func (s *solver) distUpgrade() bool {
	asked := Reason{Asked: true}
	for _, follow := range []bool{false, true} {
		for _, st := range s.each() {
			if st.slot.installed != nil {
				s.markInstall(st, follow, 0, false, false, asked)
			}
		}
	}
	s.installEssential()
	for _, st := range s.each() {
		if st.slot.installed != nil {
			s.markInstall(st, false, 0, false, false, asked)
		}
	}
	fix := newResolver(s)
	if !s.settings.IgnoreHold {
		for _, st := range s.each() {
			if st.held {
				fix.protectSlot(st)
				s.markKeep(st, 0, false)
			}
		}
	}
	return fix.repair(false)
}

// installEssential installs the essential packages that are missing.
func (s *solver) installEssential() {
	var all []*slot
	for _, own := range s.u.slots {
		if own.essential {
			all = append(all, own)
		}
	}
	slices.SortStableFunc(all, (*slot).before)
	for _, own := range all {
		installed := slices.ContainsFunc(own.family.slots, func(sibling *slot) bool {
			return sibling.essential && s.of(sibling).install()
		})
		if !installed {
			s.markInstall(s.of(s.u.preferred(own.family)), true, 0, false, false, Reason{text: "essential"})
		}
	}
}
