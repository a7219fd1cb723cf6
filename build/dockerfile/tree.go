package dockerfile

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// files is a tree of files to copy from: a directory on disk, or a stage, an image or single
// files in a [tree]. Paths are absolute within it, slash-separated and clean.
type files interface {
	// lstat returns what is at a path, without following a symbolic link there, and nil where
	// nothing is.
	lstat(p string) (*node, error)
	// readDir returns the sorted names in a directory.
	readDir(p string) ([]string, error)
}

// node is one file. It does not change once it is in a tree.
type node struct {
	kind     layer.Type // Regular, Dir, Symlink; odd names any other
	odd      string     // why the file cannot be copied, empty for those that can
	mode     fs.FileMode
	uid, gid int
	link     string
	size     int64                         // in bytes, as far as it is known without the content
	content  func() (layer.Content, error) // of a regular file
	made     any                           // a *download or *GoBuild of a RUN, nil for any other file
	stub     bool                          // it is there in the place of what a registry has
	origin   string                        // the file on disk that it was copied from, if any
}

var rootNode = &node{kind: layer.Dir, mode: 0o755}

// tree is a file system in memory, without contents. Beneath it may lie another, which it hides
// where it has something itself.
type tree struct {
	below   func() (*tree, error) // nil for nothing; called only when it matters what is there
	nodes   map[string]*node
	names   map[string]map[string]bool // the contents of each directory
	opaque  map[string]bool            // directories that hide all that is below
	touched map[string]bool            // paths set since the last begin
	gone    map[string]bool            // paths below which are hidden because they were erased
	erased  map[string]bool            // paths erased since the last begin
	before  *tree                      // at the last begin; only where something may be erased
	// it may have more than is known: an image that is not at hand lies at its bottom, or was
	// copied into it
	open bool
	more bool // files that are not known were copied into it
	// directories that a RUN has put something into, and that only what is not known can have
	assumed map[string]bool
	later   bool    // it is open because a check does not read an archive or run a download
	mounts  []mount // of the current RUN
	// of a toolchain, how many lines were passed over before a path was set, and directories that
	// were not there before: see doubt.go
	skips  int
	since  map[string]int
	fresh  map[string]bool
	budget *budget // nil counts nothing

	// of each path in nodes, by its folding; nil where case counts, which is everywhere but on
	// Windows
	spelling map[string]string
	exact    bool // two spellings of one path in one layer are an error
}

func newTree(below func() (*tree, error)) *tree {
	return &tree{
		below: below, nodes: map[string]*node{}, names: map[string]map[string]bool{},
		opaque: map[string]bool{}, touched: map[string]bool{}, gone: map[string]bool{}, erased: map[string]bool{}, assumed: map[string]bool{},
		since: map[string]int{}, fresh: map[string]bool{},
	}
}

func (t *tree) clone() *tree {
	c := newTree(t.below)
	c.budget, c.spelling, c.exact, c.open, c.more, c.later = t.budget, maps.Clone(t.spelling), t.exact, t.open, t.more, t.later
	maps.Copy(c.nodes, t.nodes)
	maps.Copy(c.opaque, t.opaque)
	maps.Copy(c.gone, t.gone)
	maps.Copy(c.assumed, t.assumed)
	maps.Copy(c.since, t.since)
	maps.Copy(c.fresh, t.fresh)
	c.skips = t.skips
	for dir, names := range t.names {
		c.names[dir] = maps.Clone(names)
	}
	return c
}

// hidden reports whether the tree keeps what lies below from being seen at p.
func (t *tree) hidden(p string) bool {
	if t.below == nil {
		return true
	}
	for dir := p; ; dir = path.Dir(dir) {
		if n := t.nodes[dir]; t.opaque[dir] || t.gone[dir] || dir != p && n != nil && n.kind != layer.Dir {
			return true
		}
		if dir == "/" {
			return false
		}
	}
}

func (t *tree) lstat(p string) (*node, error) {
	p, err := t.spelled(p)
	if err != nil {
		return nil, err
	}
	if m, rest, ok := t.mounted(p); ok {
		return m.files.lstat(rest)
	}
	if n := t.nodes[p]; n != nil {
		return n, nil
	}
	if p == "/" {
		return rootNode, nil
	}
	if t.hidden(p) {
		return nil, nil
	}
	below, err := t.below()
	if err != nil {
		return nil, err
	}
	return below.lstat(p)
}

func (t *tree) readDir(p string) ([]string, error) {
	p, err := t.spelled(p)
	if err != nil {
		return nil, err
	}
	if m, rest, ok := t.mounted(p); ok {
		return m.files.readDir(rest)
	}
	names := maps.Clone(t.names[p])
	if !t.hidden(p) {
		below, err := t.below()
		if err != nil {
			return nil, err
		}
		more, err := below.readDir(p)
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

// set puts a node at p, whose parent is a directory. Another kind of file that was there is
// removed with its contents.
func (t *tree) set(p string, n *node) error {
	if err := t.budget.file(); err != nil {
		return err
	}
	p, err := t.claim(p)
	if err != nil {
		return err
	}
	if m, _, ok := t.mounted(p); ok {
		return fmt.Errorf("%s is in the mount %s, of which nothing stays: write elsewhere", p, m.target)
	}
	old, err := t.lstat(p)
	if err != nil {
		return err
	}
	if n.kind != layer.Dir || t.nodes[p] == nil {
		t.since[p], t.fresh[p] = t.skips, t.hidden(p)
	}
	if old != nil && old.kind == layer.Dir && n.kind != layer.Dir {
		t.remove(p)
	}
	if old != nil && old.kind != layer.Dir && n.kind == layer.Dir {
		t.opaque[p] = true
	}
	if t.gone[p] && n.kind == layer.Dir {
		t.opaque[p] = true
	}
	delete(t.gone, p)
	t.nodes[p] = n
	t.touched[p] = true
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
func (t *tree) remove(p string) {
	for name := range t.names[p] {
		t.remove(path.Join(p, name))
	}
	delete(t.names, p)
	delete(t.nodes, p)
	delete(t.opaque, p)
	delete(t.touched, p)
	delete(t.spelling, layer.Fold(p))
	delete(t.names[path.Dir(p)], path.Base(p))
}

// mkdirAll makes the directory p and those above it; those that are there stay as they are.
func (t *tree) mkdirAll(p string, dir *node) error {
	if n := t.nodes[p]; n != nil && n.kind == layer.Dir && len(t.mounts) == 0 {
		return nil // as for nearly every file of an archive
	}
	if p != "/" {
		if err := t.mkdirAll(path.Dir(p), dir); err != nil {
			return err
		}
	}
	n, err := t.lstat(p)
	switch {
	case err != nil:
		return err
	case n == nil:
		return t.set(p, dir)
	case n.kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", p)
	}
	_, err = t.claim(p)
	return err
}

// begin starts a new layer.
func (t *tree) begin() {
	t.touched, t.erased, t.before = map[string]bool{}, map[string]bool{}, nil
}

// entries returns what changed since begin. A Linux layer names the directories above each change
// too, as they are in the tree, because a layer that names them in another way would change them.
// Without content the files are not read.
func (t *tree) entries(windows, content bool) ([]layer.Entry, error) {
	gone, err := t.whiteouts()
	if err != nil {
		return nil, err
	}
	all := maps.Clone(t.touched)
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
	entries := slices.Grow(gone, len(all))
	for _, p := range slices.Sorted(maps.Keys(all)) {
		n, err := t.lstat(p)
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue
		}
		e := layer.Entry{Path: p, Type: n.kind, Mode: n.mode, UID: n.uid, GID: n.gid, Linkname: n.link}
		if n.kind == layer.Regular && content {
			if err := t.budget.add(n.size); err != nil {
				return nil, err
			}
			if e.Content, err = n.content(); err != nil {
				return nil, fmt.Errorf("reading %s: %w", p, err)
			}
			if err := t.budget.add(e.Content.Size - n.size); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b layer.Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, nil
}
