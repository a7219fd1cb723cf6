package dpkg

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Where the database is.
const (
	admin        = "/var/lib/dpkg"
	statusFile   = admin + "/status"
	statusOld    = admin + "/status-old"
	infoDir      = admin + "/info"
	triggersDir  = admin + "/triggers"
	unincorp     = triggersDir + "/Unincorp"
	fileTriggers = triggersDir + "/File"
)

// database is dpkg's database during one run of dpkg.
type database struct {
	t       *tree.Tree
	arch    string // native
	sets    map[string]*pkgset
	order   []*pkgset // of their creation
	sorted  []*pkgset // by their hash; nil if it is to be sorted again
	saved   string    // the status that was saved last; what it is at the begin
	written string    // the status that the tree has
	changed bool      // written is out of date
	notes   int       // changes since then

	nodes     map[string]*file
	marked    []*file // files with marks of the archive that is unpacked
	allListed bool
	divertsAt *tree.Node // the file that the diversions were read from
	diverted  []*file

	interests []*interest // in files, in the order of triggers/File
	edited    bool        // interests are not yet saved
}

// set returns the packages of a name.
func (db *database) set(name string) *pkgset {
	name = strings.ToLower(name)
	s := db.sets[name]
	if s == nil {
		s = &pkgset{name: name, created: len(db.order)}
		db.sets[name] = s
		db.order = append(db.order, s)
		db.sorted = nil
	}
	return s
}

// pkg returns the package of a name and an architecture, which may not be installed.
func (db *database) pkg(name, arch string) *pkg {
	s := db.set(name)
	for _, p := range s.pkgs {
		if p.installed.arch == arch {
			return p
		}
	}
	p := &pkg{set: s, want: wantUnknown}
	p.installed.arch, p.available.arch = arch, arch
	s.pkgs = append(s.pkgs, p)
	return p
}

// slot returns the package that a new package replaces. One that cannot be installed for several
// architectures takes the place of the one that is there.
func (db *database) slot(name string, b *binary) (*pkg, error) {
	s := db.set(name)
	var there []*pkg
	for _, p := range s.pkgs {
		if p.state != notInstalled {
			there = append(there, p)
		}
	}
	if len(there) > 1 && b.multiArch != same {
		return nil, fmt.Errorf("package %s is installed for several architectures, and the new version, %s, "+
			"is not Multi-Arch: same", name, b.version)
	}
	if len(there) == 1 && (there[0].installed.multiArch != same || b.multiArch != same) {
		return there[0], nil
	}
	return db.pkg(name, b.arch), nil
}

// named returns the package that a name of triggers or of a command means: curl, libc6:amd64.
func (db *database) named(name string) (*pkg, error) {
	name, arch, ok := strings.Cut(name, ":")
	s := db.set(name)
	if ok {
		for _, p := range s.pkgs {
			if p.installed.arch == arch {
				return p, nil
			}
		}
		return db.pkg(name, arch), nil
	}
	var found *pkg
	for _, p := range s.pkgs {
		if p.state == notInstalled {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("package %s is installed for several architectures: write %s:%s",
				name, name, db.arch)
		}
		found = p
	}
	if found == nil {
		for _, p := range s.pkgs {
			if p.installed.arch == db.arch || p.installed.arch == "all" {
				return p, nil
			}
		}
		found = db.pkg(name, db.arch)
	}
	return found, nil
}

// hashed returns all packages in the order of dpkg's hash table, in which it configures them and
// looks for those that disappear.
func (db *database) hashed() []*pkg {
	if db.sorted == nil {
		db.sorted = slices.Clone(db.order)
		bins := make([]uint32, len(db.order))
		for n, s := range db.order {
			bins[n] = bin(s.name)
		}
		slices.SortFunc(db.sorted, func(a, b *pkgset) int {
			return cmp.Or(cmp.Compare(bins[a.created], bins[b.created]), cmp.Compare(a.created, b.created))
		})
	}
	var all []*pkg
	for _, s := range db.sorted {
		all = append(all, s.pkgs...)
	}
	return all
}

// bin is the place of a name in the hash table.
func bin(name string) uint32 {
	const bins = 65521
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32() % bins
}

// infoPath returns the path of a file about a package in info.
func infoPath(p *pkg, b *binary, kind string) string {
	return infoDir + "/" + sameLabel(p, b) + "." + kind
}

// infoFiles returns the kinds of the files about a package in info, sorted.
func (db *database) infoFiles(p *pkg, b *binary) ([]string, error) {
	names, err := db.t.ReadDir(infoDir)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, name := range names {
		n := strings.LastIndexByte(name, '.')
		if n > 0 && name[:n] == sameLabel(p, b) {
			kinds = append(kinds, name[n+1:])
		}
	}
	return kinds, nil
}

// hasInfo reports whether there is a file about a package in info.
func (db *database) hasInfo(p *pkg, b *binary, kind string) (bool, error) {
	n, err := db.t.Lstat(infoPath(p, b, kind))
	return n != nil, err
}

// write writes a text of the database, whose mode is 0644 if it is new.
func (db *database) write(p, text string) error {
	const mode = 0o644
	return db.t.WriteText(p, []byte(text), mode)
}

// remove removes a file of the database, if it is there.
func (db *database) remove(p string) error {
	n, err := db.t.Lstat(p)
	if err != nil || n == nil {
		return err
	}
	if n.Kind == layer.Dir {
		return fmt.Errorf("%s is a directory", p)
	}
	return db.t.Erase(p)
}
