// Package order arranges the changes of a transaction as apt-get does, from the packages that are
// installed and those that are to come.
//
// It follows apt 2.6: pkgOrderList finds an order of unpacking, and pkgPackageManager goes through
// it, takes what must come before, and configures early what Essential packages and Pre-Depends
// need. Everything else is configured at the end by dpkg, in dpkg's order.
package order

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// Op is what happens to a package.
type Op uint8

// What happens to packages.
const (
	Unpack Op = iota
	Configure
	Remove
	Purge
)

// Step is one change.
type Step struct {
	Op         Op
	Name, Arch string
}

// Packages are the packages of a transaction and those that are installed.
type Packages struct {
	native string
	all    map[string]*pkg // by name and architecture
}

// pkg is a package of one architecture.
type pkg struct {
	name, arch       string
	current, install *version
	keep             bool // nothing happens to it
	reinstall        bool
	delete, purge    bool
	essential, vital bool // vital is what apt calls important: protected, or apt itself
	unfinished       bool // it is not wholly installed
	flags            flags
	versions         []*version
	provides         []*provide // by others, the latest first
	dependers        []*depend  // the latest first
}

// version is a version of a package.
type version struct {
	pkg       *pkg
	version   control.Version
	multiArch string
	priority  string
	depends   []*depend
	provides  []*provide
}

// depend is one alternative of a relation.
type depend struct {
	field  string
	op     control.Op
	want   control.Version
	parent *version
	target *pkg
	or     bool // the next is an alternative
}

// provide says that a version provides a package.
type provide struct {
	owner   *version
	target  *pkg
	version control.Version
}

// New returns no packages yet. native is the architecture of the tree.
func New(native string) *Packages {
	return &Packages{native: native, all: map[string]*pkg{}}
}

// pkg returns a package, which may be a name without a version.
func (ps *Packages) pkg(name, arch string) *pkg {
	if arch == "all" || arch == "" {
		arch = ps.native
	}
	key := name + ":" + arch
	p := ps.all[key]
	if p == nil {
		p = &pkg{name: name, arch: arch, keep: true}
		ps.all[key] = p
	}
	return p
}

// Installed adds a package of the status.
func (ps *Packages) Installed(s control.Stanza) error {
	words := strings.Fields(s.Get("Status"))
	if len(words) != 3 || words[2] == "not-installed" || words[2] == "config-files" {
		return nil
	}
	v, err := ps.version(s)
	if err != nil {
		return err
	}
	v.pkg.current = v
	v.pkg.unfinished = words[1] != "ok" || words[2] == "unpacked" || strings.HasPrefix(words[2], "half-")
	return nil
}

// Install adds a package that is to be installed. priority is that of the index, if it has
// another.
func (ps *Packages) Install(s control.Stanza, priority string) error {
	v, err := ps.version(s)
	if err != nil {
		return err
	}
	v.priority = cmp.Or(strings.ToLower(priority), v.priority)
	v.pkg.install, v.pkg.keep = v, false
	return nil
}

// Remove marks an installed package as one that goes.
func (ps *Packages) Remove(name, arch string, purge bool) {
	p := ps.pkg(name, arch)
	p.keep, p.delete, p.purge = false, true, purge
}

// version reads a version of a package.
func (ps *Packages) version(s control.Stanza) (*version, error) {
	v := &version{multiArch: s.Get("Multi-Arch"), priority: strings.ToLower(s.Get("Priority"))}
	v.pkg = ps.pkg(s.Get("Package"), s.Get("Architecture"))
	var err error
	if v.version, err = control.ParseVersion(s.Get("Version")); err != nil {
		return nil, err
	}
	v.pkg.essential = v.pkg.essential || s.Get("Essential") == "yes" || v.pkg.name == "apt"
	v.pkg.vital = v.pkg.vital || s.Get("Protected") == "yes" || s.Get("Important") == "yes" || v.pkg.name == "apt"
	// as apt's parser orders them
	for _, field := range []string{"Pre-Depends", "Depends", "Conflicts", "Breaks"} {
		rs, err := control.ParseRelations(field, s.Get(field))
		if err != nil {
			return nil, err
		}
		for _, group := range rs {
			for n, r := range group {
				v.depends = append(v.depends, &depend{
					field, r.Op, r.Version, v, ps.target(v, r), n < len(group)-1,
				})
			}
		}
	}
	rs, err := control.ParseRelations("Provides", s.Get("Provides"))
	if err != nil {
		return nil, err
	}
	for _, group := range rs {
		v.provides = append(v.provides, &provide{v, ps.target(v, group[0]), group[0].Version})
	}
	v.pkg.versions = append(v.pkg.versions, v)
	return v, nil
}

// target returns the package that a relation names: that of the same architecture, of another
// only if the relation says so.
func (ps *Packages) target(v *version, r control.Relation) *pkg {
	arch := v.pkg.arch
	if r.Arch != "" && r.Arch != "any" {
		arch = r.Arch
		if arch == "native" {
			arch = ps.native
		}
	}
	return ps.pkg(r.Name, arch)
}

// link completes what was added: the package that is installed again or stays, and the relations
// from the other side.
func (ps *Packages) link() []*pkg {
	all := make([]*pkg, 0, len(ps.all))
	for _, p := range ps.all {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pkg) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.arch, b.arch))
	})
	for _, p := range all {
		if p.install != nil && p.current != nil && p.install.version == p.current.version {
			p.reinstall = true
			p.versions = slices.DeleteFunc(p.versions, func(v *version) bool { return v == p.current })
			p.current = p.install
		}
		if p.keep {
			p.install = p.current
		}
		slices.SortStableFunc(p.versions, func(a, b *version) int { return b.version.Compare(a.version) })
		for _, v := range p.versions {
			for _, d := range v.depends {
				d.target.dependers = append(d.target.dependers, d)
			}
			for _, pr := range v.provides {
				pr.target.provides = append(pr.target.provides, pr)
			}
		}
	}
	foreign := ps.foreign(all)
	for _, p := range all {
		for _, v := range foreign[p.name] {
			if v.pkg != p {
				p.provides = append(p.provides, &provide{v, p, v.version})
			}
		}
		slices.Reverse(p.provides)
		slices.Reverse(p.dependers)
	}
	return all
}

// foreign returns the versions that packages of every architecture may depend on.
func (ps *Packages) foreign(all []*pkg) map[string][]*version {
	found := map[string][]*version{}
	for _, p := range all {
		for _, v := range p.versions {
			if v.multiArch == "foreign" || v.multiArch == "allowed" {
				found[p.name] = append(found[p.name], v)
			}
		}
	}
	return found
}

// Steps returns the changes in apt's order.
func (ps *Packages) Steps() ([]Step, error) {
	all := ps.link()
	l := newList(all)
	l.orderUnpack()
	m := &manager{list: l}
	for _, p := range slices.Clone(l.items) {
		if !l.isNow(p) {
			continue
		}
		ok := true
		if p.delete {
			m.smartRemove(p)
		} else {
			ok = m.smartUnpack(p, p.flags&immediate != 0, 0)
		}
		if !ok {
			return nil, errOrder(p)
		}
	}
	return m.steps, nil
}

func errOrder(p *pkg) error {
	return fmt.Errorf("package %s cannot be unpacked in any order, because packages need one another before: "+
		"change them in several steps", p.name)
}
