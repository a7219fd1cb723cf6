package debian

// propagate makes the dependencies of versions that were chosen by their release come from the
// same release, where their candidates would not do.
func (s *solver) propagate(chosen []release) {
	for _, c := range chosen {
		s.setCandidate(c.p)
	}
	p := &propagation{solver: s}
	for _, c := range chosen {
		p.changed = append(p.changed, c.p)
		m, err := parseReleaseMatch(c.name)
		if err != nil {
			continue // it was checked with the names
		}
		p.match, p.name = m, c.name
		p.release(c.p)
	}
}

type propagation struct {
	*solver
	match   releaseMatch
	name    string
	changed []*Package
}

// release sets a candidate, and those of its dependencies.
func (p *propagation) release(v *Package) bool {
	p.setCandidate(v)
	if p.name == "installed" || p.name == "candidate" {
		return true
	}
	kept := len(p.changed)
	deps := p.u.relations(v)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		k := group[0].kind
		if k.negative() || !p.important(group[0]) || p.fine(group) || p.switchOne(group) {
			continue
		}
		if k == depends || k == preDepends {
			for _, c := range p.changed[min(kept, len(p.changed)):] {
				p.setCandidate(c)
			}
			p.changed = p.changed[:min(max(0, kept-1), len(p.changed))]
			return false
		}
	}
	return true
}

// fine reports whether a dependency can be satisfied by the candidates as they are.
func (p *propagation) fine(group []*dependency) bool {
	for _, d := range group {
		if len(d.target.versions) == 0 && len(d.target.providers) == 0 {
			continue
		}
		if now := d.target.installed; now != nil && d.satisfiedBy(now) {
			return true
		}
		c := p.of(d.target).candidate
		switch {
		case d.version == "" && len(d.target.providers) > 0:
			for _, prv := range d.target.providers {
				if p.of(prv.owner.slot).candidate == prv.owner && p.works(prv.owner) {
					return true
				}
			}
		case c != nil && d.satisfiedBy(c) && p.works(c):
			return true
		}
	}
	return false
}

// works reports whether a version would have its dependencies.
func (p *propagation) works(v *Package) bool {
	ok, _ := p.complete(v, depTarget)
	return ok
}

// switchOne makes the version of the release the candidate for one of the alternatives.
func (p *propagation) switchOne(group []*dependency) bool {
	for _, d := range group {
		if d.version == "" {
			continue
		}
		v := p.inRelease(d.target)
		if v == nil || !d.satisfiedBy(v) {
			continue
		}
		old := p.of(d.target).candidate
		if v == old && p.touched(d.target) {
			return true
		}
		p.changed = append(p.changed, v)
		if p.release(v) {
			return true
		}
		if d == group[len(group)-1] {
			return false
		}
		if old != nil {
			p.setCandidate(old)
		}
		p.changed = p.changed[:max(0, len(p.changed)-1)]
	}
	return false
}

// touched reports whether the candidate of a slot was set before.
func (p *propagation) touched(own *slot) bool {
	for _, c := range p.changed {
		if c.slot == own {
			return true
		}
	}
	return false
}

func (p *propagation) inRelease(own *slot) *Package {
	for _, v := range own.versions {
		if p.name == "newest" {
			return v
		}
		for _, f := range v.files {
			if p.match.matches(f.index) {
				return v
			}
		}
	}
	return nil
}
