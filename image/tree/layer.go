package tree

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/image/layer"
)

// Entries are those of a layer, sorted by path, and the files of which they have the content.
type Entries struct {
	All   []layer.Entry
	files map[string]*Node
}

// Fill gives entries of the tree their content. Files that are still in it keep the content, for
// another stage that copies them.
func (t *Tree) Fill(list Entries) error {
	settled := map[*Node]*Node{} // hard links stay one file
	for n := range list.All {
		e := &list.All[n]
		file := list.files[e.Path]
		switch there := t.Nodes[e.Path]; {
		case file != nil:
			if err := t.Budget.add(file.size); err != nil {
				return err
			}
			content, err := file.Content()
			if err != nil {
				return fmt.Errorf("reading %s: %w", e.Path, err)
			}
			if err := t.Budget.add(content.Size - file.size); err != nil {
				return err
			}
			e.Content = content
			if there != file {
				continue
			}
			k := *file
			k.Content = func() (layer.Content, error) { return content, nil }
			t.Nodes[e.Path] = &k
			if file.Hard {
				settled[file] = &k
			}
		case e.Type == layer.Hardlink && settled[there] != nil:
			t.Nodes[e.Path] = settled[there]
		}
	}
	return nil
}

// Merge lays another tree over t, as COPY --link does: nothing that was in t decides where the
// files go. On Windows a directory that is there stays as it is, with its permissions.
func (t *Tree) Merge(other *Tree) error {
	for _, p := range slices.Sorted(maps.Keys(other.Nodes)) {
		if t.spelling != nil && other.Nodes[p].Kind == layer.Dir {
			there, err := t.Lstat(p)
			if err != nil {
				return err
			}
			if there != nil && there.Kind == layer.Dir {
				continue
			}
		}
		if err := t.Set(p, other.Nodes[p]); err != nil {
			return err
		}
	}
	return nil
}
