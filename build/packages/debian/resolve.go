package debian

import (
	"errors"
	"slices"
)

// Resolve answers a request as apt-get does: it returns what to install, upgrade and remove. It
// changes nothing in the universe.
func (u *Universe) Resolve(r Request) (*Plan, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if r.Command == "" {
		r.Command = CommandInstall
	}
	u.complete()
	plan, ranked, err := u.answer(r, false)
	if ranked {
		other, _, failed := u.answer(r, true)
		if names := differ(plan, other); len(names) > 0 && (err == nil || failed == nil) {
			return nil, &TieError{Names: names}
		}
	}
	if u.fault != nil {
		return nil, u.fault
	}
	return plan, err
}

// answer answers a request. ranked reports whether that depends on the scores of packages; of equal
// ones the last comes first if reversed is set.
func (u *Universe) answer(r Request, reversed bool) (plan *Plan, ranked bool, err error) {
	p, err := newPolicy(u, r.Pins, r.Settings.DefaultRelease)
	if err != nil {
		return nil, false, err
	}
	s := &solver{
		u: u, settings: r.Settings, policy: p, reversed: reversed,
		watched: map[*slot][]*dependency{}, stale: map[*slot][]*Package{},
	}
	switch r.Command {
	case CommandPurge, CommandAutoPurge:
		s.settings.Purge = true
	case CommandReinstall:
		s.settings.Reinstall = true
	}
	if r.Command == CommandAutoRemove || r.Command == CommandAutoPurge {
		s.settings.AutoRemove = true
	}
	for _, own := range u.installed {
		s.of(own)
	}
	plan, err = s.run(&r)
	return plan, s.ranked, err
}

// run carries out a request.
func (s *solver) run(r *Request) (*Plan, error) {
	if err := s.sound(len(r.Names) == 0 && len(r.Local) == 0); err != nil {
		return nil, err
	}
	s.resolver = newResolver(s)
	s.sweeping = r.Command == CommandUpgrade || r.Command == CommandDistUpgrade
	s.between()
	c, err := s.names(r)
	if err != nil {
		return nil, err
	}
	for _, p := range c.removes {
		s.removeAsked(s.of(p.slot))
		s.between()
	}
	for _, p := range c.installs {
		s.installAsked(p)
		s.between()
	}
	s.propagate(c.byRelease)
	for _, p := range c.installs {
		if !s.skipped(p.slot) && !s.unsound {
			s.markInstall(s.of(p.slot), true, 0, true, false, Reason{Asked: true})
			s.between()
		}
	}
	if s.unsound && s.brokenCount() != 0 {
		return nil, s.explainInstalled()
	}
	if err := s.finish(r, c); err != nil {
		return nil, err
	}
	if s.settings.Purge {
		for _, st := range s.each() {
			if st.delete() && !st.purge {
				s.markDelete(st, true, 0, true, st.why)
			}
		}
	}
	plan := s.plan()
	return plan, errors.Join(s.allowed(plan), s.ambiguity())
}

// between is called after each step of a request. During an upgrade apt looks for garbage then,
// which later steps take into account.
func (s *solver) between() {
	if s.sweeping {
		s.sweep()
	}
}

// finish repairs what is broken, and removes what is not needed.
func (s *solver) finish(r *Request, c *chosen) error {
	var ok bool
	switch {
	case r.Command == CommandUpgrade && s.settings.UpgradeWithNew:
		ok = s.upgradeWithNew()
	case r.Command == CommandUpgrade:
		ok = s.upgradeInstalled()
	case r.Command == CommandDistUpgrade:
		ok = s.distUpgrade()
	default:
		ok = s.resolver.repair(true)
	}
	if !ok || s.brokenCount() != 0 {
		return s.explain(c)
	}
	s.autoRemove()
	if s.brokenCount() != 0 {
		return s.explain(c)
	}
	return nil
}

// skipped reports whether the settings exclude a package that was asked for.
func (s *solver) skipped(own *slot) bool {
	return s.settings.NoUpgrade && own.installed != nil || s.settings.OnlyUpgrade && own.installed == nil
}

// installAsked marks a package that was asked for, without what it depends on.
func (s *solver) installAsked(p *Package) {
	s.setCandidate(p)
	st := s.of(p.slot)
	if !s.skipped(p.slot) {
		s.resolver.protectSlot(st)
		s.markInstall(st, false, 0, true, false, Reason{Asked: true})
		if !st.install() && s.settings.Reinstall && p.slot.installed != nil && p.slot.installed.downloadable() {
			s.markReinstall(st)
		}
	}
	if !st.install() && !s.settings.Reinstall && !s.settings.OnlyUpgrade {
		st.auto = false
	}
}

// markReinstall unpacks an installed package again, with its siblings if these share files.
func (s *solver) markReinstall(st *state) {
	all := []*slot{st.slot}
	if st.slot.installed.multiArch == maSame {
		all = slices.DeleteFunc(slices.Clone(st.slot.family.slots), func(o *slot) bool { return o.installed == nil })
	}
	for _, own := range all {
		other := s.of(own)
		other.reinstall, other.why = true, Reason{Asked: true}
	}
}

// removeAsked marks a package that is to be removed. One that is not installed will not be.
func (s *solver) removeAsked(st *state) {
	s.resolver.protectSlot(st)
	s.resolver.flag(st.slot, func(f *resolverFlags) { f.toRemove = true })
	none := st.slot.state == "" || st.slot.state == stateNone
	if st.slot.installed == nil && !s.settings.Purge || none && s.settings.Purge {
		st.held = true
		return
	}
	s.markDelete(st, s.settings.Purge, 0, true, Reason{Asked: true})
}
