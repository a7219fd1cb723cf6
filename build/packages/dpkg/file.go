package dpkg

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// file is what the database knows of a path, whether it is there or not.
type file struct {
	name      string // absolute; /. is the root
	owners    []*pkg // packages that list it, the latest last
	divert    *diversion
	override  *override
	interests []*interest // of triggers, the latest last
	marks     marks
	oldHash   string     // what the status has of a conffile
	node      *tree.Node // regular file that was unpacked, for its hash
}

// marks are about the archive that is unpacked.
type marks uint8

const (
	markNewConff  marks = 1 << iota // a conffile of the new package
	markOldConff                    // one of the old package
	markObsConff                    // an obsolete one
	markRmConff                     // one that the new package wants removed
	markInArchive                   // the archive has it
	markElide                       // it leaves the lists of other packages
	markFiltered                    // path-exclude leaves it out
)

// cleanName returns a path of a list or of a tar as the database has it.
func cleanName(name string) string {
	for {
		switch {
		case strings.HasPrefix(name, "/"):
			name = name[1:]
		case strings.HasPrefix(name, "./"):
			name = name[2:]
		default:
			return "/" + name
		}
	}
}

// file returns what is known of a path.
func (db *database) file(name string) *file {
	name = cleanName(name)
	f := db.nodes[name]
	if f == nil {
		f = &file{name: name}
		db.nodes[name] = f
	}
	return f
}

// mark adds marks to a file, until unmark.
func (db *database) mark(f *file, m marks) {
	if f.marks == 0 && f.oldHash == "" {
		db.marked = append(db.marked, f)
	}
	f.marks |= m
}

// setOldHash keeps a hash with a file, until unmark.
func (db *database) setOldHash(f *file, hash string) {
	db.mark(f, 0)
	f.oldHash = hash
}

// unmark forgets what was noted of files for one archive.
func (db *database) unmark() {
	for _, f := range db.marked {
		f.marks, f.oldHash, f.node = 0, "", nil
	}
	db.marked = db.marked[:0]
}

// list reads the list of a package's files, unless it is known.
func (db *database) list(p *pkg) error {
	if p.listed {
		return nil
	}
	for _, f := range p.files {
		f.owners = without(f.owners, p)
	}
	p.files, p.listed = nil, true
	if p.state == notInstalled {
		return nil
	}
	at := infoPath(p, &p.installed, "list")
	text, err := tree.ReadText(db.t, at)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		return fmt.Errorf("%s: the last line has no line feed", at)
	}
	for n, line := range lines[:len(lines)-1] {
		line = strings.TrimSuffix(line, "/")
		if line == "" {
			return fmt.Errorf("%s:%d: a file without a name", at, n+1)
		}
		f := db.file(line)
		p.files = append(p.files, f)
		f.owners = append(f.owners, p)
	}
	return nil
}

// listAll reads the lists of all packages that are not known.
func (db *database) listAll() error {
	if db.allListed {
		return nil
	}
	for _, p := range db.hashed() {
		if err := db.list(p); err != nil {
			return err
		}
	}
	db.allListed = true
	return nil
}

// writeList writes the list of a package, without files that have some marks. The list is to be
// read again.
func (db *database) writeList(p *pkg, b *binary, files []*file, except marks) error {
	var text strings.Builder
	for _, f := range files {
		if f.marks&except == 0 {
			text.WriteString(f.name + "\n")
		}
	}
	p.listed, db.allListed = false, false
	return db.write(infoPath(p, b, "list"), text.String())
}

// usedByOthers reports whether other packages list a directory.
func (f *file) usedByOthers(p *pkg) bool {
	return slices.ContainsFunc(f.owners, func(other *pkg) bool { return other != p })
}

// usedBy reports whether files of a list are in a directory.
func (f *file) usedBy(list []*file) bool {
	return slices.ContainsFunc(list, func(other *file) bool { return strings.HasPrefix(other.name, f.name+"/") })
}

// hasConffiles reports whether conffiles of a package are in a directory.
func (f *file) hasConffiles(p *pkg) bool {
	return slices.ContainsFunc(p.installed.conffiles, func(c conffile) bool {
		return !c.obsolete && !c.removeOnUpgrade && strings.HasPrefix(c.name, f.name+"/")
	})
}

// place returns where a path is, with the symbolic links in front of its last name followed, and
// what is there.
func (db *database) place(name string) (string, *tree.Node, error) {
	name = path.Clean(name)
	if name == "/" {
		n, err := db.t.Lstat(name)
		return name, n, err
	}
	dir, err := tree.Follow(db.t, path.Dir(name))
	if err != nil {
		return "", nil, err
	}
	at := path.Join(dir, path.Base(name))
	n, err := db.t.Lstat(at)
	return at, n, err
}

// without returns a list without one of its elements.
func without[T comparable](list []T, one T) []T {
	if n := slices.Index(list, one); n >= 0 {
		return slices.Delete(slices.Clone(list), n, n+1)
	}
	return list
}
