package debian

import (
	"cmp"
	"slices"
)

// mode is what happens to a slot.
type mode uint8

const (
	keep mode = iota
	remove
	install
)

// state is what the solver has decided about a slot so far. It corresponds to apt's StateCache.
type state struct {
	slot      *slot
	candidate *Package
	target    *Package // the version in the end, nil if none is installed
	mode      mode
	status    int // of the candidate: 2 is new, 1 an upgrade, 0 the same, -1 a downgrade
	auto      bool
	protected bool
	purge     bool
	reinstall bool
	held      bool // as the status says, or because the request excludes it
	marked    bool // needed, for removing what is not
	garbage   bool
	active    bool // in solver.active

	// What dependencies see. apt computes their state only when a package is updated, and changes
	// candidates at some places without that.
	seenCandidate, seenTarget *Package

	health health // of the dependencies, if known
	known  bool

	why Reason
}

// depState says which versions satisfy a dependency, or for a negative one, do not offend it.
type depState uint8

const (
	depNow depState = 1 << iota
	depTarget
	depCandidate
)

// solver answers one request.
type solver struct {
	u        *Universe
	settings Settings
	policy   *policy
	states   []*state // by number of the slot
	active   []*state // those with an installed version now or in the end, in apt's order
	unsorted bool

	deps    []depCache // by number of the dependency
	watched map[*slot][]*dependency
	stale   map[*slot][]*Package // candidates before the last, which dependencies on a slot still see

	resolver  *resolver
	sweeping  bool // garbage is looked for after each step
	unsound   bool // dependencies are broken before anything is changed
	ambiguous []ambiguity

	reversed bool // of packages with equal scores, the last is first
	ranked   bool // scores have decided something
}

type depCache struct {
	state depState
	known bool
}

// of returns the state of a slot.
func (s *solver) of(own *slot) *state {
	for own.number >= len(s.states) {
		s.states = append(s.states, make([]*state, max(1024, own.number+1-len(s.states)))...)
	}
	st := s.states[own.number]
	if st == nil {
		st = &state{slot: own, candidate: s.policy.candidate(own), target: own.installed, held: own.held()}
		st.auto = s.u.auto[own]
		st.seenCandidate, st.seenTarget = st.candidate, st.target
		st.compare()
		s.states[own.number] = st
		if st.target != nil {
			s.activate(st)
		}
	}
	return st
}

// activate adds a state to those that the solver goes through.
func (s *solver) activate(st *state) {
	if !st.active {
		st.active, s.unsorted = true, true
		s.active = append(s.active, st)
	}
}

// each returns the states of all packages that are or will be installed, in the order of apt's
// hash table.
func (s *solver) each() []*state {
	if s.unsorted {
		slices.SortStableFunc(s.active, func(a, b *state) int { return a.slot.before(b.slot) })
		s.unsorted = false
	}
	return slices.Clone(s.active)
}

// before compares the places of two slots in apt's hash table.
func (s *slot) before(other *slot) int {
	return cmp.Or(cmp.Compare(s.family.hash, other.family.hash), cmp.Compare(s.family.name, other.family.name),
		cmp.Compare(s.number, other.number))
}

// compare sets the status: how the candidate relates to the installed version.
func (st *state) compare() {
	switch {
	case st.slot.installed == nil || st.candidate == nil:
		st.status = 2
	case st.candidate == st.slot.installed:
		st.status = 0
	case slices.Index(st.slot.versions, st.candidate) < slices.Index(st.slot.versions, st.slot.installed):
		st.status = 1
	default:
		st.status = -1
	}
}

func (st *state) install() bool    { return st.mode == install }
func (st *state) delete() bool     { return st.mode == remove }
func (st *state) keep() bool       { return st.mode == keep }
func (st *state) newInstall() bool { return st.status == 2 && st.mode == install }
func (st *state) upgradable() bool { return st.status >= 1 && st.candidate != nil }

// update publishes a state that has changed: all dependencies on it are computed anew. Those on
// what only a candidate before provided still see that one, as in apt.
func (s *solver) update(st *state) {
	before := st.seenCandidate
	st.seenCandidate, st.seenTarget, st.known = st.candidate, st.target, false
	if st.target != nil {
		s.activate(st)
	}
	fresh := []*slot{st.slot}
	for _, p := range st.provided() {
		fresh = append(fresh, p.target)
	}
	for _, own := range fresh {
		s.forget(own)
	}
	if before == nil || before == st.candidate || before == st.slot.installed {
		return
	}
	for _, p := range before.provides {
		if !slices.Contains(fresh, p.target) {
			s.stale[p.target] = append(s.stale[p.target], before)
		}
	}
}

// provided returns what the installed version and the candidate provide.
func (st *state) provided() []*provided {
	var all []*provided
	if st.slot.installed != nil {
		all = st.slot.installed.provides
	}
	if st.candidate != nil && st.candidate != st.slot.installed {
		all = slices.Concat(all, st.candidate.provides)
	}
	return all
}

// forget drops the states of the dependencies on a slot.
func (s *solver) forget(own *slot) {
	for _, d := range s.watched[own] {
		s.deps[d.number].known = false
		s.of(d.parent.slot).known = false
	}
	delete(s.watched, own)
	delete(s.stale, own)
}

// dep returns the state of a dependency.
func (s *solver) dep(d *dependency) depState {
	for d.number >= len(s.deps) {
		s.deps = append(s.deps, make([]depCache, max(1024, d.number+1-len(s.deps)))...)
	}
	if c := s.deps[d.number]; c.known {
		return c.state
	}
	var found depState
	for _, kind := range []depState{depNow, depTarget, depCandidate} {
		if s.check(d, kind) {
			found |= kind
		}
	}
	if d.kind.negative() {
		found ^= depNow | depTarget | depCandidate
	}
	s.deps[d.number] = depCache{found, true}
	s.watched[d.target] = append(s.watched[d.target], d)
	return found
}

// check reports whether a version of a kind matches a dependency.
func (s *solver) check(d *dependency, which depState) bool {
	if own := s.seen(d.target, which); own != nil && !d.ignores(d.target) && d.satisfiedBy(own) {
		return true
	}
	for _, p := range d.target.providers {
		seen := s.seen(p.owner.slot, which) == p.owner ||
			which == depCandidate && slices.Contains(s.stale[d.target], p.owner)
		if seen && !d.ignoresProvided(p) && d.satisfiedByProvided(p) {
			return true
		}
	}
	return false
}

// seen returns the version of a slot that dependencies see.
func (s *solver) seen(own *slot, which depState) *Package {
	switch which {
	case depNow:
		return own.installed
	case depTarget:
		return s.of(own).seenTarget
	}
	return s.of(own).seenCandidate
}

// any returns the states of a dependency and of the alternatives after it, of which one is
// enough.
func (s *solver) any(d *dependency) (found depState) {
	for _, one := range d.group() {
		found |= s.dep(one)
	}
	return found
}
