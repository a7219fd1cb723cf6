package debian

import "slices"

// resolver repairs conflicts by scores, as apt's pkgProblemResolver does: a package that much
// depends on stays, and one that little depends on gives way.
type resolver struct {
	*solver
	scores map[*slot]int
	flags  map[*slot]resolverFlags
}

type resolverFlags struct {
	asked        bool // protected, in the terms of apt's resolver
	preInstalled bool // was to be installed before the resolver began
	notUpgraded  bool // has been tried
	toRemove     bool
}

func newResolver(s *solver) *resolver {
	return &resolver{solver: s, flags: map[*slot]resolverFlags{}}
}

// flag changes the flags of a slot.
func (r *resolver) flag(own *slot, change func(*resolverFlags)) {
	f := r.flags[own]
	change(&f)
	r.flags[own] = f
}

// protect keeps the resolver from changing what was asked for.
func (r *resolver) protectSlot(st *state) {
	r.flag(st.slot, func(f *resolverFlags) { f.asked, f.toRemove = true, false })
	st.protected = true
}

// The scores of apt's resolver.
const (
	scoreEssential    = 100
	scoreNotObsolete  = 1
	scoreAddProtected = 10000
	scoreAddEssential = 5000
)

var (
	priorityScores = [...]int{0, 3, 2, 1, -1, -2}
	kindScores     = [...]int{preDepends: 1, depends: 1, conflicts: -1, breaks: -1, recommends: 1, suggests: 0}
)

// score computes the scores of all packages.
func (r *resolver) score() {
	r.scores = map[*slot]int{}
	all := slices.DeleteFunc(r.each(), func(st *state) bool { return st.target == nil })
	for _, st := range all {
		r.scoreOne(st)
	}
	old := map[*slot]int{}
	for own, n := range r.scores {
		old[own] = n
	}
	for _, st := range all {
		for _, d := range r.u.relations(st.target) {
			inherits := d.kind == depends || d.kind == preDepends || d.kind == recommends
			if inherits && old[st.slot] > 0 && r.of(d.target).target != nil {
				r.scores[d.target] += old[st.slot]
			}
		}
	}
	for _, st := range all {
		transfer := r.scores[st.slot] - old[st.slot]
		if transfer < 0 {
			transfer = -transfer
		}
		if transfer == 0 {
			continue
		}
		for _, own := range r.providersOf(st.slot, func(p *provided) bool { return !p.implicit }) {
			r.scores[own] += transfer
		}
	}
	for own, f := range r.flags {
		if f.asked {
			r.scores[own] += scoreAddProtected
		}
	}
	for _, own := range r.u.slots {
		if own.essential || own.important {
			r.scores[own] += scoreAddEssential
		}
	}
}

// scoreOne computes what a package has by itself, and gives to what it depends on.
func (r *resolver) scoreOne(st *state) {
	n := priorityScores[5]
	if st.target.downloadable() {
		n = priorityScores[st.target.priority]
	}
	if st.slot.essential || st.slot.important {
		n += scoreEssential
	}
	if st.slot.installed != nil && st.candidate != nil && st.candidate.downloadable() {
		n += scoreNotObsolete
	}
	r.scores[st.slot] += n
	for _, d := range r.u.relations(st.target) {
		points := kindScores[d.kind]
		if points == 0 {
			continue
		}
		if !d.ignores(d.target) {
			if d.version != "" {
				if to := r.of(d.target).target; to == nil || !d.satisfiedBy(to) {
					continue
				}
			}
			r.scores[d.target] += points
		}
		matches := func(p *provided) bool { return !d.ignoresProvided(p) && d.satisfiedByProvided(p) }
		for _, own := range r.providersOf(d.target, matches) {
			r.scores[own] += points
		}
	}
}

// providersOf returns the slots whose version in the end provides a slot, each once.
func (r *resolver) providersOf(own *slot, matches func(*provided) bool) (found []*slot) {
	for _, p := range own.providers {
		if r.of(p.owner.slot).target == p.owner && matches(p) && !slices.Contains(found, p.owner.slot) {
			found = append(found, p.owner.slot)
		}
	}
	return found
}
