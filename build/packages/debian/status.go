package debian

import (
	"fmt"
	"slices"
	"strings"
)

// AddStatus reads the status file of dpkg: what is installed, and what is on hold. file is its
// name for messages. It must be added after the repositories, as apt does.
func (u *Universe) AddStatus(file, text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	src := &source{status: true, number: len(u.sources)}
	u.sources, u.completed = append(u.sources, src), false
	all := newStanzas(text, false)
	for s, ok := all.next(); ok; s, ok = all.next() {
		if _, err := u.read(src, s); err != nil {
			return fmt.Errorf("%s:%d: %w", file, s.line, err)
		}
	}
	u.installed = u.installed[:0]
	for _, s := range u.slots {
		if s.installed != nil {
			u.installed = append(u.installed, s)
		}
	}
	return nil
}

// AddExtendedStates reads the marks of packages that were installed automatically, as apt keeps
// them in /var/lib/apt/extended_states.
func (u *Universe) AddExtendedStates(file, text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := newStanzas(text, false)
	for s, ok := all.next(); ok; s, ok = all.next() {
		if err := s.check(file); err != nil {
			return err
		}
		name, arch := s.get("Package"), s.get("Architecture")
		if name == "" {
			return fmt.Errorf("%s:%d: there is no Package field", file, s.line)
		}
		if arch == "" {
			arch = u.native
		}
		f := u.families[name]
		if f == nil || s.get("Auto-Installed") != "1" {
			continue
		}
		if own := f.slot(u.archOf(arch)); own != nil {
			u.auto[own] = true
		}
	}
	return nil
}

var (
	wants  = []string{"unknown", "install", "hold", "deinstall", "purge"}
	flags  = []string{"ok", "reinstreq", "hold", "hold-reinstreq"}
	states = []string{
		stateNone, stateConfig, "half-installed", "unpacked", "half-configured", "triggers-awaited",
		"triggers-pending", "installed",
	}
)

const (
	stateNone   = "not-installed"
	stateConfig = "config-files"
	wantHold    = "hold"
)

// setStatus reads a Status field: want, flag and state. The version is installed unless the state
// says that only its configuration is left.
func (s *slot) setStatus(status string, p *Package) error {
	words := strings.Fields(strings.ToLower(status))
	if len(words) == 0 {
		return nil
	}
	if len(words) != 3 || !slices.Contains(wants, words[0]) || !slices.Contains(flags, words[1]) ||
		!slices.Contains(states, words[2]) {
		return fmt.Errorf("%s has the status %q: it must be like %q", s.family.name, status, "install ok installed")
	}
	s.want, s.flag, s.state = words[0], words[1], words[2]
	if p != nil && s.state != stateNone && s.state != stateConfig {
		s.installed = p
	}
	return nil
}

// held reports whether a package is on hold.
func (s *slot) held() bool { return s.want == wantHold }

// faulty reports whether dpkg has left a package half way.
func (s *slot) faulty() bool {
	if s.installed == nil {
		return false
	}
	return s.flag != "ok" || s.state != "installed" && s.state != "triggers-awaited" && s.state != "triggers-pending"
}
