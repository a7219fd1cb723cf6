package debian

import "slices"

// victim is a package that gives way to another one.
type victim struct {
	st  *state
	dep *dependency // the first of the group
}

// investigation is how the resolver treats one broken package.
type investigation struct {
	*resolver
	st       *state
	counter  int
	upgrades bool
	changed  bool
	kill     []victim

	inOr   bool
	keepOr bool // the package works as it is installed now
	done   bool
}

// investigate goes through the broken dependencies of a package. It reports whether it has
// changed something.
func (r *resolver) investigate(st *state, counter int, upgrades bool) bool {
	v := &investigation{resolver: r, st: st, counter: counter, upgrades: upgrades}
	deps := r.u.relations(st.target)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if !group[0].kind.critical() {
			continue
		}
		if v.group(group) {
			break
		}
	}
	if st.target != nil {
		v.apply()
	}
	return v.changed
}

// group treats one dependency with its alternatives. It reports whether the package needs no more
// treatment.
func (v *investigation) group(group []*dependency) bool {
	v.inOr, v.keepOr = len(group) > 1, false
	size := len(v.kill)
	for _, d := range group {
		if v.any(group[0])&depTarget != 0 {
			return false
		}
		if v.alternative(d, group[0]) {
			return true
		}
	}
	if v.inOr && size == len(v.kill) {
		v.finishOr()
	}
	return false
}

// finishOr decides about a package none of whose alternatives could be installed.
func (v *investigation) finishOr() {
	switch {
	case v.keepOr:
		v.markKeep(v.st, 0, false)
		v.changed = true
	case !v.st.protected:
		v.markDelete(v.st, false, 0, false, Reason{})
		v.changed = true
	}
}

// alternative treats one alternative that is not satisfied.
func (v *investigation) alternative(d, first *dependency) (stop bool) {
	targets := d.allTargets()
	st := v.st
	if len(targets) == 0 && !st.protected && !d.kind.negative() && v.healthOf(st).now {
		if v.inOr {
			return false
		}
		v.changed = true
		v.markKeep(st, 0, false)
		return true
	}
	v.done = false
	for _, p := range targets {
		other := v.of(p.slot)
		if other.target != p && d.kind.negative() {
			continue
		}
		if v.scores[st.slot] <= v.scores[other.slot] || v.dep(d)&depNow == 0 && !d.kind.negative() {
			if st.protected {
				if v.upgradeOne(other) {
					v.scores[other.slot] = min(v.scores[other.slot], v.scores[st.slot])
					break
				}
				continue
			}
			v.giveWay(d, other)
			break
		}
		if d.kind == breaks && v.any(first)&depCandidate != 0 {
			v.markInstall(other, false, 0, false, false, Reason{By: st.target, dep: d})
			continue
		}
		if other.protected && other.mode != remove {
			continue
		}
		v.kill = append(v.kill, victim{other, first})
		if !d.kind.negative() {
			break
		}
	}
	if len(targets) == 0 && !d.kind.negative() && !st.protected {
		v.impossible(d)
	}
	return !v.inOr && v.done
}

// giveWay changes the package under investigation, since the other one has a higher score.
func (v *investigation) giveWay(d *dependency, other *state) {
	st := v.st
	v.changed, v.done = true, true
	was := st.install()
	v.markKeep(st, 0, false)
	if !v.broken(st) {
		v.keepOr = true
		if v.inOr && was {
			v.markInstall(st, false, 0, false, false, Reason{})
		}
		return
	}
	if v.upgrades && v.upgradeOne(st) {
		return
	}
	if !v.inOr || st.garbage {
		v.markDelete(st, false, 0, false, Reason{dep: d, By: other.target})
		if v.counter > 1 && v.scores[other.slot] > v.scores[st.slot] {
			v.scores[st.slot] = v.scores[other.slot]
		}
		return
	}
	target := v.of(d.target)
	if d.target.installed != nil || target.delete() || v.flags[d.target].toRemove || target.candidate == nil {
		return
	}
	before := v.brokenCount()
	v.markInstall(target, true, 1, false, false, Reason{By: st.target, dep: d})
	if v.broken(target) || v.brokenCount() > before {
		v.markDelete(target, false, 1, false, Reason{})
	}
}

// impossible deals with a dependency that no package can satisfy.
func (v *investigation) impossible(d *dependency) {
	st := v.st
	was := st.install()
	v.markKeep(st, 0, false)
	if !v.broken(st) {
		v.keepOr = true
		if v.inOr && was {
			v.markInstall(st, false, 0, false, false, Reason{})
		}
	} else if !v.inOr {
		v.markDelete(st, false, 0, false, Reason{By: st.slot.installed, dep: d})
	}
	v.changed, v.done = true, true
}

// apply makes the victims give way.
func (v *investigation) apply() {
	for _, one := range v.kill {
		var found bool
		if v.any(one.dep)&depNow == 0 {
			why := Reason{By: v.st.target, dep: one.dep}
			found = one.dep.kind.negative() && v.markDelete(one.st, false, 0, false, why)
		} else {
			found = v.markKeep(one.st, 0, false)
		}
		if (!found || v.counter > 1) && v.scores[v.st.slot] > v.scores[one.st.slot] {
			v.scores[one.st.slot] = v.scores[v.st.slot]
			v.changed = true
		}
		v.changed = v.changed || found
	}
}

// allTargets returns every version of every package that a dependency matches.
func (d *dependency) allTargets() (found []*Package) {
	if !d.ignores(d.target) {
		for _, p := range d.target.versions {
			if d.satisfiedBy(p) {
				found = append(found, p)
			}
		}
	}
	for _, p := range slices.Backward(d.target.providers) {
		if !d.ignoresProvided(p) && d.satisfiedByProvided(p) {
			found = append(found, p.owner)
		}
	}
	return found
}
