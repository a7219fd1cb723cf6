package debian

import (
	"slices"
	"strings"
	"sync"
)

// Universe holds the packages that a request can choose from: those of repositories, in the order
// of the sources, and those that are installed.
type Universe struct {
	native  string
	foreign []string

	mu           sync.Mutex // resolving completes dependencies
	families     map[string]*family
	slots        []*slot
	sources      []*source
	packages     int
	dependencies int
	installed    []*slot
	auto         map[*slot]bool // marks of extended_states
	force        map[string]bool
	pool         []Package // allocated together
	completed    bool      // the relations of installed packages are known
	fault        error     // the first relation that cannot be parsed
}

// NewUniverse returns an empty universe for an architecture, and others whose packages can be
// installed beside it.
func NewUniverse(native string, foreign ...string) *Universe {
	return &Universe{
		native: native, foreign: foreign, families: map[string]*family{}, auto: map[*slot]bool{},
		force: map[string]bool{"apt": true},
	}
}

// Versions returns the versions of a package, the newest first. name may be name:arch.
func (u *Universe) Versions(name string) []*Package {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.find(name); s != nil {
		return slices.Clone(s.versions)
	}
	return nil
}

// Installed returns the installed version of a package, or nil. name may be name:arch.
func (u *Universe) Installed(name string) *Package {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.find(name); s != nil {
		return s.installed
	}
	return nil
}

// Names returns the names of all packages that have a version, in alphabetical order.
func (u *Universe) Names() []string {
	var names []string
	for name, f := range u.families {
		if slices.ContainsFunc(f.slots, func(s *slot) bool { return len(s.versions) > 0 }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// configured reports whether packages of an architecture can be installed.
func (u *Universe) configured(arch string) bool {
	return arch == u.native || arch == anyArch || arch == "all" || slices.Contains(u.foreign, arch)
}

// find returns the slot that a name means, as apt chooses it: the native one, or else that of the
// first architecture that has one.
func (u *Universe) find(name string) *slot {
	name, arch, qualified := cutArch(name)
	f := u.families[name]
	if f == nil {
		return nil
	}
	if qualified {
		return f.slot(u.archOf(arch))
	}
	return u.preferred(f)
}

// preferred returns the slot of a family that has versions, the native one first.
func (u *Universe) preferred(f *family) *slot {
	archs := append([]string{u.native}, u.foreign...)
	for _, arch := range archs {
		if s := f.slot(arch); s != nil && len(s.versions) > 0 {
			return s
		}
	}
	for _, arch := range archs {
		if s := f.slot(arch); s != nil {
			return s
		}
	}
	return nil
}

// archOf maps the words for the native architecture to its name.
func (u *Universe) archOf(arch string) string {
	if arch == "all" || arch == "native" {
		return u.native
	}
	return arch
}

func (f *family) slot(arch string) *slot {
	for _, s := range f.slots {
		if s.arch == arch {
			return s
		}
	}
	return nil
}

// cutArch divides name:arch.
func cutArch(name string) (string, string, bool) {
	n := strings.LastIndexByte(name, ':')
	if n < 0 {
		return name, "", false
	}
	return name[:n], name[n+1:], true
}

// family returns the family of a name, which it makes if there is none.
func (u *Universe) family(name string) *family {
	f := u.families[name]
	if f == nil {
		f = &family{name: name, hash: bucket(name)}
		u.families[name] = f
	}
	return f
}

// bucket returns where apt's hash table has a name: apt goes through its packages in this order.
func bucket(name string) uint32 {
	h := uint32(5381)
	for _, c := range []byte(name) {
		h = 33*h + uint32(c|0x20)
	}
	return h % 196613
}

// slot returns the slot of a name and an architecture, which it makes if there is none. A slot
// that comes to others of its name is provided by what provides those for all architectures.
func (u *Universe) slot(name, arch string) *slot {
	arch = u.archOf(arch)
	f := u.family(name)
	if s := f.slot(arch); s != nil {
		return s
	}
	s := &slot{family: f, arch: arch, number: len(u.slots)}
	u.slots = append(u.slots, s)
	if len(f.slots) > 0 {
		u.inherit(f, s)
	}
	f.slots = append(f.slots, s)
	if arch == anyArch {
		u.specific(name, s)
	}
	return s
}

// inherit gives a new slot the providers of the other slots of its family that provide for every
// architecture.
func (u *Universe) inherit(f *family, s *slot) {
	if sibling := u.preferred(f); sibling != nil {
		for _, p := range slices.Clone(sibling.providers) {
			if !p.specific && !p.implicit && p.owner.multiArch == maForeign && u.configured(p.owner.slot.arch) {
				u.provide(p.owner, s, p.version, false, false)
			}
		}
	}
	for _, sibling := range f.slots {
		if !u.configured(sibling.arch) {
			continue
		}
		for _, v := range sibling.versions {
			if v.multiArch == maForeign {
				u.provide(v, s, v.Version, false, true)
			}
		}
	}
}

// specific makes the packages of one architecture provide a slot such as foo:amd64, which a
// relation asks for.
func (u *Universe) specific(name string, s *slot) {
	base, arch, ok := cutArch(name)
	if !ok || arch == anyArch {
		return
	}
	own := u.slot(base, arch)
	for _, p := range own.providers {
		if !p.implicit && p.owner.slot.arch == arch {
			u.provide(p.owner, s, p.owner.Version, true, true)
		}
	}
	for _, v := range own.versions {
		u.provide(v, s, v.Version, true, true)
	}
}

func (u *Universe) provide(owner *Package, target *slot, version string, specific, implicit bool) {
	p := &provided{owner: owner, target: target, version: version, specific: specific, implicit: implicit}
	owner.provides = append(owner.provides, p)
	target.providers = append(target.providers, p)
}
