// Package tree has the files of contexts, images and stages in memory: their names and metadata,
// and where the content of each is. Archives and the layers of images are unpacked into such trees.
package tree

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// Files is a tree of files to copy from: a directory on disk, or a stage, an image or single
// files in a [Tree]. Paths are absolute within it, slash-separated and clean.
type Files interface {
	// Lstat returns the file at a path, without following a symbolic link there, and nil where
	// nothing is.
	Lstat(p string) (*Node, error)
	// ReadDir returns the sorted names in a directory.
	ReadDir(p string) ([]string, error)
}

// Tree is a file system in memory, without contents. Beneath it may lie another, which it hides
// where it has something itself.
type Tree struct {
	Below   func() (*Tree, error) // nil for nothing; called only when its files matter
	Nodes   map[string]*Node
	names   map[string]map[string]bool // the contents of each directory
	Opaque  map[string]bool            // directories that hide all that is below
	Touched map[string]bool            // paths set since the last begin
	gone    map[string]bool            // paths below which are hidden because they were erased
	erased  map[string]bool            // paths erased since the last begin
	Before  *Tree                      // at the last begin; only where something may be erased
	// it may have more than is known: an image that is not at hand lies at its bottom, or was
	// copied into it
	Open bool
	More bool // files that are not known were copied into it
	// directories that a RUN has put a file into, and that only the unknown base can have
	Assumed map[string]bool
	Later   bool    // it is open because a check does not read an archive or run a download
	Mounts  []Mount // of the current RUN
	// of a toolchain, how many lines were passed over before a path was set, and directories that
	// were not there before: see skip.go of package run
	Skips  int
	Since  map[string]int
	Fresh  map[string]bool
	Budget *Budget // nil counts nothing

	// of each path in nodes, by its folding; nil where case counts, which is everywhere but on
	// Windows
	spelling map[string]string
	exact    bool // two spellings of one path in one layer are an error
}

// New makes a tree without files. below returns the one beneath it; nil means none.
func New(below func() (*Tree, error)) *Tree {
	return &Tree{
		Below: below, Nodes: map[string]*Node{}, names: map[string]map[string]bool{},
		Opaque: map[string]bool{}, Touched: map[string]bool{}, gone: map[string]bool{}, erased: map[string]bool{},
		Assumed: map[string]bool{},
		Since:   map[string]int{}, Fresh: map[string]bool{},
	}
}

// Clone returns a copy that begins a layer.
func (t *Tree) Clone() *Tree {
	c := *t
	c.Nodes, c.Opaque, c.gone = maps.Clone(t.Nodes), maps.Clone(t.Opaque), maps.Clone(t.gone)
	c.spelling = maps.Clone(t.spelling)
	c.Assumed, c.Since, c.Fresh = maps.Clone(t.Assumed), maps.Clone(t.Since), maps.Clone(t.Fresh)
	c.names, c.Mounts = map[string]map[string]bool{}, nil
	for dir, names := range t.names {
		c.names[dir] = maps.Clone(names)
	}
	c.Begin()
	return &c
}

// Hidden reports whether the tree keeps what lies below from being seen at p.
func (t *Tree) Hidden(p string) bool {
	if t.Below == nil {
		return true
	}
	for dir := p; ; dir = path.Dir(dir) {
		if n := t.Nodes[dir]; t.Opaque[dir] || t.gone[dir] || dir != p && n != nil && n.Kind != layer.Dir {
			return true
		}
		if dir == "/" {
			return false
		}
	}
}

// Lstat returns the file at a path, as [Files] has it.
func (t *Tree) Lstat(p string) (*Node, error) {
	p, err := t.Spelled(p)
	if err != nil {
		return nil, err
	}
	if m, rest, ok := t.Mounted(p); ok {
		return m.Files.Lstat(rest)
	}
	if n := t.Nodes[p]; n != nil {
		return n, nil
	}
	if p == "/" {
		return Root, nil
	}
	if t.Hidden(p) {
		return nil, nil
	}
	below, err := t.Below()
	if err != nil {
		return nil, err
	}
	return below.Lstat(p)
}

// ReadDir returns the sorted names in a directory.
func (t *Tree) ReadDir(p string) ([]string, error) {
	p, err := t.Spelled(p)
	if err != nil {
		return nil, err
	}
	if m, rest, ok := t.Mounted(p); ok {
		return m.Files.ReadDir(rest)
	}
	names := maps.Clone(t.names[p])
	if !t.Hidden(p) {
		below, err := t.Below()
		if err != nil {
			return nil, err
		}
		more, err := below.ReadDir(p)
		if err != nil {
			return nil, err
		}
		if names == nil {
			names = map[string]bool{}
		}
		for _, n := range more {
			if !t.gone[path.Join(p, n)] {
				names[n] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Set puts a node at p, whose parent is a directory. Another kind of file that was there is
// removed with its contents.
func (t *Tree) Set(p string, n *Node) error {
	if err := t.Budget.file(); err != nil {
		return err
	}
	p, err := t.Claim(p)
	if err != nil {
		return err
	}
	if m, _, ok := t.Mounted(p); ok {
		return fmt.Errorf("%s is in the mount %s, of which nothing stays: write elsewhere", p, m.Target)
	}
	old, err := t.Lstat(p)
	if err != nil {
		return err
	}
	if n.Kind != layer.Dir || t.Nodes[p] == nil {
		t.Since[p], t.Fresh[p] = t.Skips, t.Hidden(p)
	}
	if old != nil && old.Kind == layer.Dir && n.Kind != layer.Dir {
		t.remove(p)
	}
	if old != nil && old.Kind != layer.Dir && n.Kind == layer.Dir {
		t.Opaque[p] = true
	}
	if t.gone[p] && n.Kind == layer.Dir {
		t.Opaque[p] = true
	}
	delete(t.gone, p)
	t.Nodes[p] = n
	t.Touched[p] = true
	t.spell(p)
	if p != "/" {
		dir := path.Dir(p)
		if t.names[dir] == nil {
			t.names[dir] = map[string]bool{}
		}
		t.names[dir][path.Base(p)] = true
	}
	return nil
}

// remove forgets p and everything in it; what lies below shows through.
func (t *Tree) remove(p string) {
	for name := range t.names[p] {
		t.remove(path.Join(p, name))
	}
	delete(t.names, p)
	delete(t.Nodes, p)
	delete(t.Opaque, p)
	delete(t.Touched, p)
	delete(t.spelling, layer.Fold(p))
	delete(t.names[path.Dir(p)], path.Base(p))
}

// MkdirAll makes the directory p and those above it; those that are there stay as they are.
func (t *Tree) MkdirAll(p string, dir *Node) error {
	if n := t.Nodes[p]; n != nil && n.Kind == layer.Dir && len(t.Mounts) == 0 {
		return nil // as for nearly every file of an archive
	}
	if p != "/" {
		if err := t.MkdirAll(path.Dir(p), dir); err != nil {
			return err
		}
	}
	n, err := t.Lstat(p)
	switch {
	case err != nil:
		return err
	case n == nil:
		return t.Set(p, dir)
	case n.Kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", p)
	}
	_, err = t.Claim(p)
	return err
}

// Begin starts a new layer.
func (t *Tree) Begin() {
	t.Touched, t.erased, t.Before = map[string]bool{}, map[string]bool{}, nil
}

// Entries returns what changed since begin. A Linux layer names the directories above each change
// too, as they are in the tree, because a layer that names them in another way would change them.
// The entries have no content: see [Tree.Fill].
func (t *Tree) Entries(windows bool) (Entries, error) {
	gone, err := t.whiteouts()
	if err != nil {
		return Entries{}, err
	}
	all := maps.Clone(t.Touched)
	for _, e := range gone {
		all[e.Path] = true
	}
	if !windows {
		for _, p := range slices.Collect(maps.Keys(all)) {
			for dir := path.Dir(p); dir != "/" && !all[dir]; dir = path.Dir(dir) {
				all[dir] = true
			}
		}
	}
	delete(all, "/")
	list := Entries{All: slices.Grow(gone, len(all)), files: map[string]*Node{}}
	links := map[*Node]string{} // hard links, and the first path of each
	for _, p := range slices.Sorted(maps.Keys(all)) {
		n, err := t.Lstat(p)
		if err != nil {
			return Entries{}, err
		}
		if n == nil {
			continue
		}
		e := layer.Entry{
			Path: p, Type: n.Kind, Mode: n.Mode, UID: n.UID, GID: n.GID, Linkname: n.Link, Capability: n.Capability,
		}
		first := links[n]
		if n.Hard && first == "" {
			links[n] = p
		}
		if first != "" {
			e.Type, e.Linkname = layer.Hardlink, first
		} else if n.Kind == layer.Regular {
			list.files[p] = n
		}
		list.All = append(list.All, e)
	}
	slices.SortFunc(list.All, func(a, b layer.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}
