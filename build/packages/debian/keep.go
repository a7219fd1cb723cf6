package debian

import "slices"

// repairByKeep resolves what is broken without installing or removing anything: upgrades that
// break a package are not made. It reports whether that worked.
func (r *resolver) repairByKeep() bool {
	r.score()
	list := r.each()
	slices.SortStableFunc(list, func(a, b *state) int { return r.scores[b.slot] - r.scores[a.slot] })
	stop := -1
	for n := 0; n < len(list); n++ {
		st := list[n]
		if st.target == nil || !r.newlyBroken(st) {
			continue
		}
		if !st.protected {
			r.markKeep(st, 0, false)
			if !r.newlyBroken(st) {
				n = -1
				continue
			}
		}
		r.keepOthers(st)
		if r.newlyBroken(st) {
			continue
		}
		if n == stop {
			return false
		}
		stop, n = n, -1
	}
	return r.brokenCount() == 0
}

// newlyBroken reports whether a package lacks a dependency, or a recommendation that it has now.
func (r *resolver) newlyBroken(st *state) bool {
	return r.broken(st) || r.policyBroken(st) && r.healthOf(st).nowPolicy
}

// keepOthers keeps the packages that the dependencies of a package are about, until it works.
func (r *resolver) keepOthers(st *state) {
	deps := r.u.relations(st.target)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if !group[0].kind.critical() || r.any(group[0])&depTarget != 0 {
			continue
		}
		for _, d := range group {
			for _, p := range d.allTargets() {
				other := r.of(p.slot)
				if other.target == nil || p.slot.installed == nil {
					continue
				}
				if !other.protected {
					r.markKeep(other, 0, false)
				}
				if !r.newlyBroken(st) {
					return
				}
			}
		}
	}
}
