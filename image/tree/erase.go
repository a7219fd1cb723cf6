package tree

import (
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

// whiteouts returns entries for what was there before the layer began and was erased since.
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
