package debian

import (
	"fmt"
	"math"
	"strings"
)

// policy is what decides which version of a package is the candidate.
type policy struct {
	u        *Universe
	files    map[*source]int
	packages []Pin
	pinned   map[*Package]int
}

const neverPriority = math.MinInt32

// The priorities of apt_preferences(5).
const (
	priorityInstalled    = 100
	priorityDefault      = 500
	priorityTarget       = 990
	priorityDowngrade    = 1000
	priorityNotAutomatic = 1
)

// newPolicy returns the policy of pins and of the default release.
func newPolicy(u *Universe, pins []Pin, defaultRelease string) (*policy, error) {
	p := &policy{u: u, files: map[*source]int{}, pinned: map[*Package]int{}}
	var general []Pin
	if defaultRelease != "" {
		m, err := parseReleaseMatch(defaultRelease)
		if err != nil {
			return nil, fmt.Errorf("the default release: %w", err)
		}
		if !p.released(m) && !strings.Contains(defaultRelease, "=") && defaultRelease != "now" {
			return nil, fmt.Errorf("no repository has the default release %q: use one of %s", defaultRelease,
				strings.Join(p.releases(), ", "))
		}
		general = append(general, Pin{kind: "release", release: m, priority: priorityTarget})
	}
	for _, pin := range pins {
		if pin.names == nil {
			general = append(general, pin)
		} else {
			p.packages = append(p.packages, pin)
		}
	}
	for _, s := range u.sources {
		p.files[s] = s.priority(general)
	}
	p.pinPackages()
	return p, nil
}

// released reports whether some repository has a release.
func (p *policy) released(m releaseMatch) bool {
	for _, s := range p.u.sources {
		if m.matches(s) {
			return true
		}
	}
	return false
}

// releases returns the archives and codenames of all repositories.
func (p *policy) releases() (names []string) {
	seen := map[string]bool{"": true}
	for _, s := range p.u.sources {
		if r := s.repository; r != nil {
			for _, name := range []string{r.Archive, r.Codename} {
				if !seen[name] {
					names, seen[name] = append(names, name), true
				}
			}
		}
	}
	return names
}

// priority returns the priority of an index by the pins that are for every package: the first
// that matches, unless another one forbids the index.
func (s *source) priority(pins []Pin) int {
	n, fixed := priorityDefault, false
	switch r := s.repository; {
	case s.status:
		n = priorityInstalled
	case r != nil && r.ButAutomaticUpgrades:
		n = priorityInstalled
	case r != nil && r.NotAutomatic:
		n = priorityNotAutomatic
	}
	for _, pin := range pins {
		if n == neverPriority || fixed && !pin.never || !pin.matches(s) {
			continue
		}
		if n, fixed = pin.priority, true; pin.never {
			n = neverPriority
		}
	}
	return n
}

// matches reports whether a pin selects an index.
func (pin *Pin) matches(s *source) bool {
	switch pin.kind {
	case "release":
		return pin.release.matches(s)
	case "origin":
		if s.repository == nil {
			return false
		}
		site := s.repository.site()
		return globMatch(pin.data, site) || pin.data == "" && site == ""
	}
	return false
}

// pinPackages applies the pins that name packages. The first that matches a version counts.
func (p *policy) pinPackages() {
	for _, pin := range p.packages {
		for _, name := range pin.names {
			name, bySource := strings.CutPrefix(name, "src:")
			name, arch, _ := cutArch(name)
			for _, f := range p.families(name) {
				if bySource {
					p.pin(&pin, arch, f.source)
					continue
				}
				for _, s := range f.slots {
					p.pin(&pin, arch, s.versions)
				}
			}
		}
	}
}

// families returns the families that a pattern matches.
func (p *policy) families(pattern string) (found []*family) {
	if !strings.ContainsAny(pattern, "*?[") {
		if f := p.u.families[pattern]; f != nil {
			return []*family{f}
		}
		return nil
	}
	for name, f := range p.u.families {
		if globMatch(pattern, name) {
			found = append(found, f)
		}
	}
	return found
}

// pin gives those of some packages that a pin matches its priority.
func (p *policy) pin(pin *Pin, arch string, packages []*Package) {
	if arch == "" {
		arch = p.u.native
	}
	for _, v := range packages {
		if _, done := p.pinned[v]; done || arch != anyArch && p.u.archOf(arch) != v.slot.arch {
			continue
		}
		matches := pin.kind == "version" && globMatch(pin.data, v.Version)
		for _, f := range v.files {
			matches = matches || pin.matches(f.index)
		}
		if matches {
			p.pinned[v] = pin.priority
		}
	}
}

// priority returns the priority of a version.
func (p *policy) priority(v *Package) int {
	if n, ok := p.pinned[v]; ok {
		for _, f := range v.files {
			if p.files[f.index] != neverPriority {
				return n
			}
		}
	}
	n := math.MinInt
	for _, f := range v.files {
		if f.index.status && v.slot.installed != v {
			n = max(n, -1) // an entry of a package that is removed
		} else {
			n = max(n, p.files[f.index])
		}
	}
	if n == math.MinInt {
		return 0
	}
	return n
}

// candidate returns the version of a slot that apt would install, or nil.
func (p *policy) candidate(s *slot) *Package {
	var best *Package
	highest := -1
	for _, v := range s.versions {
		n := p.priority(v)
		if n == 0 || n <= highest {
			continue
		}
		if s.installed != nil && n < priorityDowngrade && Compare(v.Version, s.installed.Version) < 0 {
			continue
		}
		highest, best = n, v
	}
	return best
}
