package debian

import (
	"cmp"
	"slices"
	"sort"
)

// repair resolves what is broken: each broken package, from the highest score to the lowest, is
// repaired, kept as it is, or removed. With upgrades it may install and upgrade others for that.
// It reports whether nothing is broken in the end.
func (r *resolver) repair(upgrades bool) bool {
	for again := true; again; {
		again = false
		for _, st := range r.each() {
			if !st.install() && upgrades && r.broken(st) {
				r.markInstall(st, false, 0, false, false, Reason{})
				again = again || st.install()
				r.flag(st.slot, func(f *resolverFlags) { f.preInstalled = false })
				continue
			}
			r.flag(st.slot, func(f *resolverFlags) { f.preInstalled = st.install() })
		}
	}
	r.score()
	list := &ranking{r: r, scores: map[*slot]int{}}
	for own, n := range r.scores {
		list.scores[own] = n
	}
	for counter, changed := 0, true; counter < 20 && changed; counter++ {
		changed = false
		for st := list.first(); st != nil; st = list.next(st) {
			r.reinstate(st)
			if st.target == nil || !r.broken(st) {
				continue
			}
			r.ranked = true
			changed = r.investigate(st, counter, upgrades) || changed
		}
	}
	if r.brokenCount() != 0 {
		return false
	}
	for _, st := range r.each() {
		if st.newInstall() && !r.flags[st.slot].preInstalled {
			st.auto = true
		}
	}
	return true
}

// ranking goes through packages by scores that do not change, while packages are added.
type ranking struct {
	r      *resolver
	scores map[*slot]int
	list   []*state
	seen   int // of the active states
}

func (l *ranking) compare(a, b *state) int {
	order := a.slot.before(b.slot)
	if l.r.reversed {
		order = -order
	}
	return cmp.Or(cmp.Compare(l.scores[b.slot], l.scores[a.slot]), order)
}

// refresh takes in the states that have become active.
func (l *ranking) refresh() {
	if len(l.r.active) != l.seen {
		l.list, l.seen = l.r.each(), len(l.r.active)
		slices.SortStableFunc(l.list, l.compare)
	}
}

func (l *ranking) first() *state {
	l.refresh()
	if len(l.list) == 0 {
		return nil
	}
	return l.list[0]
}

// next returns what comes after a state, or nil.
func (l *ranking) next(st *state) *state {
	l.refresh()
	n := sort.Search(len(l.list), func(n int) bool { return l.compare(l.list[n], st) > 0 })
	if n == len(l.list) {
		return nil
	}
	return l.list[n]
}

// reinstate tries once more to upgrade a package that was to be upgraded and is kept now.
func (r *resolver) reinstate(st *state) {
	if st.candidate == st.target || st.slot.installed == nil || st.target == nil || st.protected ||
		!r.flags[st.slot].preInstalled {
		return
	}
	before := r.brokenCount()
	r.flags[st.slot] = resolverFlags{notUpgraded: true} // as apt does, which clears all of its flags
	r.markInstall(st, false, 0, false, false, Reason{})
	if r.broken(st) || before < r.brokenCount() {
		r.markKeep(st, 0, false)
	}
}

// upgradeOne tries to install a package so that all it depends on is there.
func (r *resolver) upgradeOne(st *state) bool {
	f := r.flags[st.slot]
	if f.notUpgraded || !st.upgradable() || f.asked {
		return false
	}
	r.flag(st.slot, func(f *resolverFlags) { f.notUpgraded = true })
	kept := st.keep()
	if !r.markInstall(st, false, 0, false, false, Reason{}) || st.target == nil {
		return false
	}
	deps := r.u.relations(st.target)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if !group[0].kind.critical() || r.upgradeGroup(group) {
			continue
		}
		if kept {
			r.markKeep(st, 0, false)
		} else {
			r.markDelete(st, false, 0, false, Reason{})
		}
		return false
	}
	return true
}

// upgradeGroup tries to satisfy a dependency by upgrades.
func (r *resolver) upgradeGroup(group []*dependency) bool {
	ok := true
	for _, d := range group {
		if r.any(group[0])&depTarget != 0 {
			break
		}
		own := r.of(r.smartTarget(d))
		switch {
		case own.protected:
			ok = false
		case r.dep(d)&depCandidate != 0:
			if r.upgradeOne(own) {
				return true
			}
			ok = false
		case d.kind.negative():
			return ok
		default:
			ok = false
		}
	}
	return ok
}

// smartTarget returns the slot that a dependency is probably about: the one that provides its
// target, if that has no version.
func (r *resolver) smartTarget(d *dependency) *slot {
	if len(d.target.providers) == 0 || len(d.target.versions) > 0 {
		return d.target
	}
	for _, p := range slices.Backward(d.target.providers) {
		if p.owner.slot != d.parent.slot {
			return p.owner.slot
		}
	}
	return d.target
}
