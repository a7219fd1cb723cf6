package debian

import (
	"errors"
	"fmt"
	"strings"
)

// sound checks the installation that a request begins with. Broken dependencies can only be
// repaired by naming packages.
func (s *solver) sound(everything bool) error {
	for _, st := range s.each() {
		if st.slot.faulty() {
			return fmt.Errorf("%s has the status %q: complete its installation in the base image first",
				st.slot, st.slot.want+" "+st.slot.flag+" "+st.slot.state)
		}
	}
	s.unsound = s.brokenCount() != 0
	if s.unsound && everything {
		return s.explainInstalled()
	}
	return nil
}

// explainInstalled returns the error for an installation that lacks dependencies.
func (s *solver) explainInstalled() error {
	for _, st := range s.each() {
		if !s.broken(st) {
			continue
		}
		if d := s.unsatisfied(st.target); d != nil {
			return fmt.Errorf("%s is installed without what it needs, %s: %s: name packages that repair this",
				st.slot, Reason{dep: d}.Relation(), s.obstacle(d))
		}
	}
	return errors.New("the installation has broken dependencies: repair the base image first")
}

// explain returns the error for a request that cannot be fulfilled: it follows the dependencies
// of what was asked for to the one that no package satisfies.
func (s *solver) explain(c *chosen) error {
	for _, p := range c.installs {
		if err := s.explainOne(p); err != nil {
			return err
		}
	}
	for _, st := range s.each() {
		if s.broken(st) {
			if err := s.explainOne(st.target); err != nil {
				return err
			}
		}
	}
	return errors.New("the request cannot be fulfilled, and apt does not say why: ask for fewer packages at once")
}

// explainOne explains why a package cannot be installed, if it cannot.
func (s *solver) explainOne(p *Package) error {
	path := s.path(p, map[*Package]bool{})
	if len(path) == 0 {
		return nil
	}
	last := path[len(path)-1]
	var b strings.Builder
	fmt.Fprintf(&b, "installing %s", p)
	for _, d := range path[1:] {
		fmt.Fprintf(&b, ", which needs %s", d.parent.Name)
	}
	fmt.Fprintf(&b, ": %s of %s: %s", Reason{dep: last}.Relation(), last.parent.Name, s.obstacle(last))
	return errors.New(b.String())
}

// path returns the dependencies that lead from a package to the one that no package satisfies. It
// goes through packages that are new, or would satisfy a dependency.
func (s *solver) path(p *Package, seen map[*Package]bool) []*dependency {
	seen[p] = true
	if d := s.unsatisfied(p); d != nil {
		if next := s.culprit(d); next != nil && !d.kind.negative() && !seen[next] {
			if rest := s.path(next, seen); len(rest) > 0 {
				return append([]*dependency{d}, rest...)
			}
		}
		return []*dependency{d}
	}
	for _, d := range s.u.relations(p) {
		if !d.kind.critical() || d.kind.negative() {
			continue
		}
		for _, next := range d.allTargets() {
			if seen[next] || s.of(next.slot).target != next || next.slot.installed == next {
				continue
			}
			if rest := s.path(next, seen); len(rest) > 0 {
				return append([]*dependency{d}, rest...)
			}
		}
	}
	return nil
}

// unsatisfied returns the first dependency of a package that is not satisfied in the end.
func (s *solver) unsatisfied(p *Package) *dependency {
	deps := s.u.relations(p)
	for n := 0; n < len(deps); {
		group := deps[n].group()
		n += len(group)
		if group[0].kind.critical() && s.any(group[0])&depTarget == 0 {
			return group[0]
		}
	}
	return nil
}

// culprit returns the package that would satisfy a dependency, and is not installed.
func (s *solver) culprit(d *dependency) *Package {
	for _, one := range d.group() {
		for _, p := range one.allTargets() {
			if s.policy.candidate(p.slot) == p && s.of(p.slot).target != p {
				return p
			}
		}
	}
	return nil
}

// obstacle says why a dependency is not satisfied, and what to do.
func (s *solver) obstacle(d *dependency) string {
	if d.kind.negative() {
		for _, p := range d.allTargets() {
			if s.of(p.slot).target == p {
				return fmt.Sprintf("%s is installed too%s: ask for one of them", p, s.because(p.slot))
			}
		}
		return "both are needed: ask for one of them"
	}
	for _, one := range d.group() {
		for _, p := range one.allTargets() {
			st := s.of(p.slot)
			switch now := p.slot.installed; {
			case st.held && now != nil && !one.satisfiedBy(now):
				return fmt.Sprintf("%s is held at version %s: remove the hold, or ask for another version", p.Name,
					now.Version)
			case st.held && now == nil, st.delete():
				return fmt.Sprintf("%s is to be removed: do not remove it", p.Name)
			case st.target != nil && st.target != p:
				return fmt.Sprintf("%s has version %s%s: ask for another version", p.Name, st.target.Version,
					s.because(p.slot))
			case s.policy.candidate(p.slot) != p:
				return fmt.Sprintf("%s is not the version that pins select: ask for %s=%s", p, p.Name, p.Version)
			}
		}
	}
	if len(d.target.versions) > 0 {
		return fmt.Sprintf("repositories have %s only in version %s: add a suite that has it", d.target.family.name,
			versionList(d.target))
	}
	if len(d.target.providers) > 0 {
		return "what provides it cannot be installed with the rest: name a package that provides it"
	}
	return "no repository has it: add the repository that has it"
}

// because says why a package is installed, in a message.
func (s *solver) because(own *slot) string {
	if why := s.of(own).why; why.Asked || why.By != nil {
		return ", " + why.String()
	}
	return ""
}

// allowed checks what apt asks about before it does it: that essential packages are removed, that
// packages are downgraded, and that packages on hold are changed.
func (s *solver) allowed(p *Plan) error {
	var all []error
	for _, c := range p.Changes {
		own := s.u.family(c.Name).slot(s.u.archOf(c.Arch))
		removed := c.Action == Remove || c.Action == Purge
		switch {
		case removed && s.settings.NoRemove:
			all = append(all, fmt.Errorf("%s must be removed (%s): leave out --no-remove", c.Name, c.Why))
		case removed && c.Old != "" && (own.essential || own.important) && !s.settings.AllowRemoveEssential:
			all = append(all, fmt.Errorf("%s is essential and would be removed (%s): add --allow-remove-essential",
				c.Name, c.Why))
		case c.Action == Downgrade && !s.settings.AllowDowngrades:
			all = append(all, fmt.Errorf("%s would be downgraded from %s to %s: add --allow-downgrades", c.Name,
				c.Old, c.New))
		case own.held() && c.Action != Reinstall && !s.settings.AllowChangeHeld:
			all = append(all, fmt.Errorf("%s is on hold and would change (%s): add --allow-change-held-packages",
				c.Name, c.Action))
		}
	}
	return errors.Join(all...)
}
