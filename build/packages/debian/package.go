package debian

import (
	"strconv"
	"strings"
)

// Package is one version of a package for one architecture, from the indexes that have it or from
// the status of an installation.
type Package struct {
	Name         string
	Version      string
	Architecture string // of the archive, "all" among them

	slot   *slot
	stanza Stanza // the first that was read

	files         []origin // indexes that have it, in the order that they were added
	source        string   // the name of the source package
	sourceVersion string
	multiArch     multiArch
	priority      int8 // 1 is required, 5 is extra
	deps          []*dependency
	parsed        bool        // deps is complete
	provides      []*provided // what it provides
	hash          uint32      // of its relations, once it is needed
	number        int         // in the order of reading
}

// origin is an index that has a package.
type origin struct {
	index  *source
	stanza Stanza
}

type multiArch uint8

const (
	maNo multiArch = iota
	maSame
	maForeign
	maAllowed
)

// Stanza returns the paragraph that describes the package: of its repository, if one has it.
func (p *Package) Stanza() Stanza {
	for _, f := range p.files {
		if !f.index.status {
			return f.stanza
		}
	}
	return p.stanza
}

// Repository returns the repository that the archive is taken from, as apt chooses it: the first
// that has this version. It is nil for a package that is only installed.
func (p *Package) Repository() *Repository {
	for _, f := range p.files {
		if f.index.repository != nil {
			return f.index.repository
		}
	}
	return nil
}

// Filename returns the path of the archive below the URL of its repository.
func (p *Package) Filename() string { return p.archive("Filename") }

// SHA256 returns the digest of the archive in hexadecimal digits.
func (p *Package) SHA256() string { return strings.ToLower(p.archive("SHA256")) }

// Priority returns the priority in the index, unless that is optional, as for nearly all packages.
func (p *Package) Priority() string {
	switch s := strings.ToLower(p.archive("Priority")); s {
	case "required", "important", "standard", "extra":
		return s
	}
	return ""
}

// Size returns the size of the archive in bytes.
func (p *Package) Size() int64 {
	n, err := strconv.ParseInt(p.archive("Size"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Source returns the name and the version of the source package.
func (p *Package) Source() (name, version string) { return p.source, p.sourceVersion }

func (p *Package) archive(field string) string {
	if !p.downloadable() {
		return ""
	}
	return p.Stanza().get(field)
}

// downloadable reports whether a repository has the package.
func (p *Package) downloadable() bool {
	for _, f := range p.files {
		if !f.index.status {
			return true
		}
	}
	return false
}

func (p *Package) section() string { return p.stanza.get("Section") }

// String returns name:arch=version.
func (p *Package) String() string { return p.slot.String() + " (" + p.Version + ")" }

// slot is a package by name and architecture, of which one version can be installed. Names that
// are only provided have a slot without versions.
type slot struct {
	family    *family
	arch      string
	versions  []*Package  // the newest first
	providers []*provided // in the order of reading, which apt goes through backwards
	installed *Package
	want      string // first word of Status: hold
	flag      string // second word
	state     string // third word
	essential bool
	important bool // or protected
	number    int
	reverse   []*dependency // of installed packages
}

// family is all slots of one name, and the packages built from the source of this name.
type family struct {
	name   string
	slots  []*slot
	source []*Package // in the order of reading
	hash   uint32
}

// provided is an entry of Provides, or one that Multi-Arch implies.
type provided struct {
	owner    *Package
	target   *slot
	version  string
	specific bool // for one architecture
	implicit bool
}

// String returns name, or name:arch if it is not the native architecture.
func (s *slot) String() string {
	if s.arch == "" || s.arch == anyArch {
		return s.family.name
	}
	return s.family.name + ":" + s.arch
}

const anyArch = "any"

// kind is the kind of a relation.
type kind uint8

const (
	preDepends kind = iota
	depends
	conflicts
	breaks
	recommends
	suggests
)

// kinds are the fields with relations that decide what is installed, in apt's order.
var kinds = [...]string{"Pre-Depends", "Depends", "Conflicts", "Breaks", "Recommends", "Suggests"}

func (k kind) String() string { return kinds[k] }

// negative relations forbid what they match.
func (k kind) negative() bool { return k == conflicts || k == breaks }

// critical relations must be satisfied.
func (k kind) critical() bool { return k < recommends }

// dependency is one alternative of a relation of a package.
type dependency struct {
	parent   *Package
	target   *slot
	op       operator
	version  string
	kind     kind
	or       bool // the next one is an alternative
	implicit bool // of Multi-Arch
	number   int  // of the universe
	index    int  // in parent.deps
}

func (d *dependency) String() string {
	s := d.target.family.name
	if d.version != "" {
		s += " (" + d.op.String() + " " + d.version + ")"
	}
	return s
}

// text returns the dependency with its alternatives.
func (d *dependency) text() string {
	s := d.String()
	for _, next := range d.group()[1:] {
		s += " | " + next.String()
	}
	return s
}

// group returns the dependency and the alternatives after it.
func (d *dependency) group() []*dependency {
	end := d.index
	for d.parent.deps[end].or && end+1 < len(d.parent.deps) {
		end++
	}
	return d.parent.deps[d.index : end+1]
}

func (d *dependency) satisfiedBy(p *Package) bool { return satisfies(p.Version, d.op, d.version) }

func (d *dependency) satisfiedByProvided(p *provided) bool {
	return satisfies(p.version, d.op, d.version)
}

// ignores reports whether a negative relation does not apply to a slot: that of the package
// itself, and those of its name with Multi-Arch: same.
func (d *dependency) ignores(s *slot) bool {
	own := d.parent.slot
	if !d.kind.negative() || own.family != s.family {
		return false
	}
	return own == s || d.parent.multiArch == maSame && !d.implicit
}

// ignoresProvided is ignores for a package that provides the target.
func (d *dependency) ignoresProvided(p *provided) bool {
	if !d.kind.negative() {
		return false
	}
	return p.owner.slot.family == d.parent.slot.family || d.implicit
}
