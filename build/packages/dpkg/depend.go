package dpkg

import (
	"fmt"
	"slices"
)

// verdict is whether a dependency is fulfilled, and what would help.
type verdict struct {
	ok  bool
	why string
	// a package whose removal or deconfiguration helps, of Conflicts and Breaks
	without *pkg
	// a package that only awaits triggers
	awaiting *pkg
}

// check reports whether a dependency is fulfilled when everything is as it is to be. unconfigured
// lets Pre-Depends be fulfilled by what was configured before.
func (r *run) check(d *dependency, unconfigured bool) verdict {
	switch d.up.toBe {
	case toBeRemoved, toBeDeconfigured:
		return verdict{ok: true}
	case toBeNormal:
		hard := d.field == "Pre-Depends" || d.field == "Conflicts" || d.field == "Breaks"
		if d.up.state <= configFiles || d.up.state < triggersAwaited && !hard {
			return verdict{ok: true}
		}
	}
	if d.field == "Conflicts" || d.field == "Breaks" {
		return r.checkAgainst(d)
	}
	v := verdict{why: d.up.set.name + " has " + d.field + ": " + d.relation()}
	for _, p := range d.list {
		if r.checkPossibility(p, unconfigured, &v) {
			return verdict{ok: true}
		}
	}
	return v
}

// relation returns a dependency as it is written.
func (d *dependency) relation() string {
	s := ""
	for n, p := range d.list {
		if n > 0 {
			s += " | "
		}
		s += p.String()
	}
	return s
}

// binaryToBe returns what a package is when the run has ended.
func (p *pkg) binaryToBe() *binary {
	if p.toBe == toBeInstalled {
		return &p.available
	}
	return &p.installed
}

// checkPossibility reports whether one alternative is fulfilled.
func (r *run) checkPossibility(p *possibility, unconfigured bool, v *verdict) bool {
	for _, other := range p.set.pkgs {
		b := other.binaryToBe()
		if !r.db.satisfiesArch(b, b.arch, p) {
			continue
		}
		right := p.Op.Satisfied(b.version, p.Version)
		switch {
		case other.toBe == toBeInstalled:
			if right {
				return true
			}
		case other.toBe != toBeNormal || other.state < unpacked:
		case other.state >= triggersPending:
			if right {
				return true
			}
		default:
			if other.state == triggersAwaited && right {
				v.awaiting = other
			}
			if unconfigured && right && !other.configVersion.IsZero() &&
				p.Op.Satisfied(other.configVersion, p.Version) {
				return true
			}
		}
	}
	for _, pr := range p.set.providers() {
		other := pr.up.up
		if !satisfiesVirtual(p, pr) || other.toBe != toBeNormal {
			continue
		}
		switch {
		case other.state >= triggersPending:
			return true
		case other.state == triggersAwaited:
			v.awaiting = other
		}
	}
	return r.providedByNew(p)
}

// providedByNew reports whether a package that is to be installed provides what is asked for.
func (r *run) providedByNew(p *possibility) bool {
	return slices.ContainsFunc(r.newProviders(p), func(pr *possibility) bool { return true })
}

// newProviders returns what the package that is to be installed provides in a version that is
// asked for.
func (r *run) newProviders(p *possibility) []*possibility {
	var found []*possibility
	if r.installing == nil || r.installing.toBe != toBeInstalled {
		return nil
	}
	for _, d := range r.installing.available.depends {
		if d.field == "Provides" && d.list[0].set == p.set && satisfiesVirtual(p, d.list[0]) {
			found = append(found, d.list[0])
		}
	}
	return found
}

// checkAgainst is check for Conflicts and Breaks.
func (r *run) checkAgainst(d *dependency) verdict {
	p := d.list[0]
	v := verdict{ok: true}
	n := 0
	found := func(other *pkg, b *binary) {
		v = verdict{
			why: fmt.Sprintf("%s has %s: %s, and %s %s is there",
				d.up.set.name, d.field, d.relation(), other.set.name, b.version),
			without: other,
		}
		n++
	}
	breaks := d.field == "Breaks"
	present := func(other *pkg) bool {
		return other.state >= triggersAwaited || other.state >= halfInstalled && !breaks
	}
	if p.set != d.up.set {
		for _, other := range p.set.pkgs {
			b := other.binaryToBe()
			switch {
			case other.toBe == toBeRemoved || other.toBe == toBeDeconfigured && breaks:
			case !r.db.satisfies(b, p):
			case other.toBe == toBeInstalled || present(other):
				found(other, b)
			}
		}
	}
	for _, pr := range r.newProviders(p) {
		if pr.up.up.set != d.up.set {
			found(pr.up.up, &pr.up.up.available)
			v.without = nil
			return v
		}
	}
	for _, pr := range p.set.providers() {
		other := pr.up.up
		if other.set == d.up.set || !satisfiesVirtual(p, pr) || other.toBe == toBeInstalled ||
			other.toBe == toBeRemoved || other.toBe == toBeDeconfigured && breaks {
			continue
		}
		if present(other) || breaks && other.state >= halfInstalled {
			found(other, &other.installed)
		}
	}
	if n > 1 {
		v.without = nil
	}
	return v
}
