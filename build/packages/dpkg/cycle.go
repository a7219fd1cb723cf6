package dpkg

import "slices"

// link is a package on the way down the dependencies, with the one that was followed.
type link struct {
	up  *link
	pkg *pkg
	by  *possibility
}

// breakCycle looks for a cycle among the dependencies of a package, and ignores one of them from
// then on: that of a package without a postinst, if there is one. It reports whether it found
// any.
func (r *run) breakCycle(p *pkg) (bool, error) {
	for _, other := range r.db.hashed() {
		other.black = false
	}
	return r.findCycle(p, nil)
}

func (r *run) findCycle(p *pkg, up *link) (bool, error) {
	if p.black {
		return false, nil
	}
	here := &link{up: up, pkg: p}
	for _, d := range p.installed.depends {
		if !d.needs() {
			continue
		}
		for _, one := range d.list {
			if one.broken {
				continue
			}
			here.by = one
			for _, other := range r.candidates(one) {
				if ok, err := r.followCycle(here, up, other); ok || err != nil {
					return ok, err
				}
			}
		}
	}
	p.black = true
	return false, nil
}

// candidates returns the packages that may fulfill a dependency.
func (r *run) candidates(one *possibility) []*pkg {
	var list []*pkg
	for _, other := range one.set.pkgs {
		if r.db.satisfiesArch(&other.installed, other.installed.arch, one) {
			list = append(list, other)
		}
	}
	for _, pr := range one.set.providers() {
		if pr.up.up.toBe != toBeNormal {
			list = append(list, pr.up.up)
		}
	}
	return list
}

// followCycle goes on with a package that is depended on, or breaks the cycle that it closes.
func (r *run) followCycle(here, up *link, on *pkg) (bool, error) {
	l := up
	for l != nil && l.pkg != on {
		l = l.up
	}
	if l == nil {
		return r.findCycle(on, here)
	}
	for l = here; l == here || l.pkg != on; l = l.up {
		has, err := r.db.hasInfo(l.pkg, &l.pkg.installed, "postinst")
		if err != nil {
			return false, err
		}
		if !has {
			break
		}
	}
	l.by.broken = true
	return true, nil
}

// triggerCycles is what was pending when triggers were processed. It notices that processing them
// makes no progress: dpkg compares what is pending now, the hare, with what was when it had gone
// half as far, the tortoise.
type triggerCycles struct {
	seen    []map[*pkg][]string
	at      int // the tortoise
	advance bool
}

func (c *triggerCycles) reset() { *c = triggerCycles{} }

// looping reports whether triggers are processed in a cycle.
func (r *run) looping() bool {
	now := map[*pkg][]string{}
	for _, p := range r.db.hashed() {
		if len(p.pending) > 0 {
			now[p] = slices.Clone(p.pending)
		}
	}
	c := &r.cycles
	c.seen = append(c.seen, now)
	if len(c.seen) == 1 {
		return false
	}
	if c.advance {
		c.at++
	}
	c.advance = !c.advance
	for p, names := range c.seen[c.at] {
		for _, name := range names {
			if !slices.Contains(p.pending, name) {
				return false
			}
		}
	}
	return true
}
