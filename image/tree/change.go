package tree

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/image/layer"
)

// Erase removes p and everything in it, whether it is in the tree or lies below.
func (t *Tree) Erase(p string) error {
	p, err := t.Spelled(p)
	if err != nil {
		return err
	}
	t.remove(p)
	t.gone[p], t.erased[p] = true, true
	return nil
}

// whiteouts returns entries for the files that the layer has erased.
func (t *Tree) whiteouts() ([]layer.Entry, error) {
	if t.Before == nil {
		return nil, nil
	}
	found := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(t.erased)) {
		if err := t.vanished(t.Before, p, found); err != nil {
			return nil, err
		}
	}
	var entries []layer.Entry
	for _, p := range slices.Sorted(maps.Keys(found)) {
		entries = append(entries, layer.Entry{Path: p, Type: layer.Whiteout})
	}
	return entries, nil
}

// vanished adds the paths to found that were in before, at p and in it, and are not in the tree.
// Where a directory is gone, the paths in it need no mention.
func (t *Tree) vanished(before *Tree, p string, found map[string]bool) error {
	was, err := before.Lstat(p)
	if err != nil || was == nil {
		return err
	}
	is, err := t.Lstat(p)
	if err != nil {
		return err
	}
	if is == nil {
		dir, err := t.Lstat(path.Dir(p))
		if err == nil && dir != nil && dir.Kind == layer.Dir {
			found[p] = true
		}
		return err
	}
	if was.Kind != layer.Dir || is.Kind != layer.Dir {
		return nil
	}
	names, err := before.ReadDir(p)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := t.vanished(before, path.Join(p, name), found); err != nil {
			return err
		}
	}
	return nil
}

// harden makes a file at p one with several paths, and returns it.
func (t *Tree) harden(p string, n *Node) (*Node, error) {
	p, err := t.Spelled(p)
	if err != nil {
		return nil, err
	}
	k := *n
	k.Hard = true
	if t.Nodes[p] == n {
		t.Nodes[p] = &k
	}
	return &k, nil
}

// Change puts n in the place of a file: where that has several paths, at all of them, as what
// changes the mode, the owner or the content of a file does.
func (t *Tree) Change(p string, n *Node) error {
	p, err := t.Spelled(p)
	if err != nil {
		return err
	}
	old, err := t.Lstat(p)
	if err != nil {
		return err
	}
	if old == nil || !old.Hard || n == old {
		return t.Set(p, n)
	}
	k := *n
	k.Hard = true
	paths, err := t.paths(old)
	if err != nil {
		return err
	}
	for _, at := range paths {
		if err := t.Set(at, &k); err != nil {
			return err
		}
	}
	return nil
}

// paths returns the sorted paths of a file that has several.
func (t *Tree) paths(n *Node) ([]string, error) {
	var found []string
	for at := t; ; {
		for p, k := range at.Nodes {
			if k != n {
				continue
			}
			if is, err := t.Lstat(p); err != nil {
				return nil, err
			} else if is == n {
				found = append(found, p)
			}
		}
		if at.Below == nil {
			break
		}
		below, err := at.Below()
		if err != nil {
			return nil, err
		}
		at = below
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Caseless makes of an empty tree one in which names that differ only in case are one, as on
// Windows: a name keeps the spelling it came with, and every other spelling finds it. Without
// that a copy to C:\windows would make a second directory next to the base's C:\Windows, which
// takes that one's place when the image is run, with other permissions.
func (t *Tree) Caseless(exact bool) { t.spelling, t.exact = map[string]string{}, exact }

// Spelled returns p in the spelling that the tree has. Parts that are not there stay as they are
// written.
func (t *Tree) Spelled(p string) (string, error) {
	if t.spelling == nil || p == "/" || t.Nodes[p] != nil {
		return p, nil
	}
	dir, err := t.Spelled(path.Dir(p))
	if err != nil {
		return "", err
	}
	p = path.Join(dir, path.Base(p))
	if s, ok := t.spelling[layer.Fold(p)]; ok {
		return s, nil
	}
	if t.Hidden(p) {
		return p, nil
	}
	below, err := t.Below()
	if err != nil {
		return "", err
	}
	return below.Spelled(p)
}

func (t *Tree) spell(p string) {
	if t.spelling != nil {
		t.spelling[layer.Fold(p)] = p
	}
}

// Claim is spelled for a path that is being written. What the layer has by another name already
// would be lost, so that is an error.
func (t *Tree) Claim(p string) (string, error) {
	s, err := t.Spelled(p)
	if err == nil && t.exact && path.Base(s) != path.Base(p) && t.Touched[s] {
		return "", fmt.Errorf("%s and %s differ only in case: Windows takes them for one file: rename one", s, p)
	}
	return s, err
}

// fold returns a name as names of the tree are compared, and a pattern for them.
func fold(f Files, name string) string {
	if t, ok := f.(*Tree); ok && t.spelling != nil {
		return layer.Fold(name)
	}
	return name
}
