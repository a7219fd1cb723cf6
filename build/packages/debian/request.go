package debian

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Command is a command of apt-get.
type Command string

// The commands that Resolve answers.
const (
	CommandInstall     Command = "install"
	CommandRemove      Command = "remove"
	CommandPurge       Command = "purge"
	CommandAutoRemove  Command = "autoremove"
	CommandAutoPurge   Command = "autopurge"
	CommandReinstall   Command = "reinstall"
	CommandUpgrade     Command = "upgrade"      // nothing new is installed, nothing is removed
	CommandDistUpgrade Command = "dist-upgrade" // full-upgrade is the same
)

// Request is a command line of apt-get.
type Request struct {
	Command Command // install, if empty
	// Names are packages as on a command line: name, name:arch, name=version, name/suite, and
	// name- to remove or name+ to install, whatever the command is. They may be globs.
	Names []string
	// Local are archives that are given as files. AddLocal returns them.
	Local    []*Package
	Settings Settings
	Pins     []Pin // in the order of apt: files of preferences.d, then preferences
}

// chosen is what a request says about packages.
type chosen struct {
	installs, removes []*Package
	byRelease         []release // whose dependencies come from the same release
}

// release is a version that was chosen by its release.
type release struct {
	p    *Package
	name string
}

// names resolves the names of a request.
func (s *solver) names(r *Request) (*chosen, error) {
	c := &chosen{}
	for _, name := range r.Names {
		if err := s.name(r, c, name); err != nil {
			return nil, err
		}
	}
	for _, p := range r.Local {
		s.setCandidate(p)
		c.installs = append(c.installs, p)
	}
	c.installs, c.removes = once(c.installs), once(c.removes)
	return c, nil
}

func once(all []*Package) (found []*Package) {
	for _, p := range all {
		if !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}

// name resolves one name. A name that ends in + or - is that of a package first, such as g++.
func (s *solver) name(r *Request, c *chosen, text string) error {
	removes := slices.Contains([]Command{CommandRemove, CommandPurge, CommandAutoRemove, CommandAutoPurge}, r.Command)
	word, base := text, text
	if n := strings.LastIndexAny(text, "/="); n > 0 {
		base = text[:n]
	}
	if s.u.find(base) == nil || base != text && s.u.find(text) == nil {
		switch {
		case len(text) > 1 && strings.HasSuffix(text, "+"):
			word, removes = text[:len(text)-1], false
		case len(text) > 1 && strings.HasSuffix(text, "-") && s.u.find(base) == nil:
			word, removes = text[:len(text)-1], true
		}
	}
	base, version, byRelease := word, "", false
	if n := strings.LastIndexAny(word, "/="); n >= 0 {
		base, version, byRelease = word[:n], word[n+1:], word[n] == '/'
	}
	if strings.ContainsAny(base, "^|$?~(") {
		return fmt.Errorf("%q is a pattern that is not supported: name packages, or use * as in lib*", base)
	}
	if strings.Contains(base, "*") {
		return s.glob(c, base, removes)
	}
	own := s.u.find(base)
	if own == nil || len(own.versions) == 0 && (len(own.providers) == 0 || s.foreignOnly(own)) {
		if removes && s.u.mentioned(base) {
			return nil // apt knows the name, and that it is not installed
		}
		return s.unknown(base)
	}
	if removes && len(own.versions) == 0 && version == "" {
		return nil // apt removes none of the packages that provide a name
	}
	p, err := s.version(own, base, version, byRelease, removes)
	if err != nil || p == nil {
		return err
	}
	if version != "" && (byRelease || p.Version != version) {
		c.byRelease = append(c.byRelease, release{p, version})
	}
	if removes {
		c.removes = append(c.removes, p)
	} else {
		c.installs = append(c.installs, p)
	}
	return nil
}

// foreignOnly reports whether a name is only provided by packages of other architectures, while a
// relation asks for a native one: apt does not choose those.
func (s *solver) foreignOnly(own *slot) bool {
	return own.arch != s.u.native && own.arch != anyArch && s.u.mentioned(own.family.name)
}

// unknown returns the error for a name that no package has.
func (s *solver) unknown(name string) error {
	advice := "add the repository that has it, or correct the name"
	if hint := yamlfile.Suggest(name, s.u.Names()); strings.HasPrefix(hint, "did you mean") {
		advice = hint
	}
	return fmt.Errorf("no repository has the package %s: %s", name, advice)
}

// glob chooses all packages whose names match a pattern.
func (s *solver) glob(c *chosen, pattern string, removes bool) error {
	name, arch, qualified := cutArch(pattern)
	if qualified && strings.Contains(arch, "*") {
		return fmt.Errorf("%q is a pattern for architectures: name one", pattern)
	}
	var found []*slot
	for _, f := range s.u.families {
		if !globMatch(name, f.name) {
			continue
		}
		own := s.u.preferred(f)
		if qualified {
			own = f.slot(s.u.archOf(arch))
		}
		if own != nil && len(own.versions) > 0 {
			found = append(found, own)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("no package matches %s: name packages that exist", pattern)
	}
	slices.SortFunc(found, func(a, b *slot) int { return a.number - b.number })
	for _, own := range found {
		if removes {
			c.removes = append(c.removes, own.versions[0])
		} else if v := s.of(own).candidate; v != nil {
			c.installs = append(c.installs, v)
		}
	}
	return nil
}

// version returns the version of a slot that a request means. It is nil if there is nothing to
// do.
func (s *solver) version(own *slot, name, version string, byRelease, removes bool) (*Package, error) {
	switch {
	case version == "" && removes && len(own.versions) > 0:
		return own.versions[0], nil
	case version == "" || version == "candidate":
		if v := s.of(own).candidate; v != nil {
			return v, nil
		}
		return s.virtual(own, name, func(p *provided) bool { return s.of(p.owner.slot).candidate == p.owner })
	case version == "installed":
		if own.installed == nil {
			return nil, fmt.Errorf("%s is not installed: leave out =installed", name)
		}
		return own.installed, nil
	case version == "newest" && len(own.versions) > 0:
		return own.versions[0], nil
	}
	if byRelease {
		return s.inRelease(own, name, version)
	}
	for _, v := range own.versions {
		if v.Version == version || globMatch(version, v.Version) {
			return v, nil
		}
	}
	if p, err := s.virtual(own, name, func(p *provided) bool { return p.version == version }); err == nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s has no version %s: there is %s", name, version, versionList(own))
}

// inRelease returns the version of a slot in a release.
func (s *solver) inRelease(own *slot, name, suite string) (*Package, error) {
	m, err := parseReleaseMatch(suite)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", name, suite, err)
	}
	for _, v := range own.versions {
		if slices.ContainsFunc(v.files, func(f origin) bool { return m.matches(f.index) }) {
			return v, nil
		}
	}
	within := func(p *provided) bool {
		return slices.ContainsFunc(p.owner.files, func(f origin) bool {
			r := f.index.repository
			return r != nil && (r.Archive == suite || r.Codename == suite)
		})
	}
	if p, err := s.virtual(own, name, within); err == nil {
		return p, nil
	}
	var suites []string
	for _, v := range own.versions {
		for _, f := range v.files {
			if r := f.index.repository; r != nil && !slices.Contains(suites, r.Codename) {
				suites = append(suites, r.Codename)
			}
		}
	}
	if len(suites) == 0 {
		return nil, fmt.Errorf("no repository has the package %s: name a package that one has", name)
	}
	return nil, fmt.Errorf("%s is not in the suite %s: it is in %s", name, suite, strings.Join(suites, ", "))
}

// virtual returns the one package that provides a name.
func (s *solver) virtual(own *slot, name string, matches func(*provided) bool) (*Package, error) {
	var found []*Package
	var names []string
	for _, p := range slices.Backward(own.providers) {
		if !matches(p) {
			continue
		}
		if len(found) == 0 || found[0].slot.family != p.owner.slot.family {
			names = append(names, p.owner.Name)
		}
		found = append(found, p.owner)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case len(names) == 1:
		slices.SortStableFunc(found, func(a, b *Package) int {
			return s.u.rank(a.slot.arch) - s.u.rank(b.slot.arch)
		})
		for _, p := range found {
			if p.slot.arch == own.arch {
				return p, nil
			}
		}
		return found[0], nil
	case len(names) > 1:
		return nil, fmt.Errorf("%s is provided by several packages: name one of %s", name, strings.Join(names, ", "))
	case len(own.versions) > 0:
		return nil, fmt.Errorf("%s has no candidate, since pins exclude its versions: there is %s", name,
			versionList(own))
	}
	return nil, s.unknown(name)
}

// versionList lists the versions of a slot for a message.
func versionList(own *slot) string {
	var all []string
	for _, v := range own.versions {
		if !slices.Contains(all, v.Version) {
			all = append(all, v.Version)
		}
	}
	return strings.Join(all, ", ")
}
