package tree

import (
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/build/layer"
)

// Settle keeps the contents that entries found, so that they are not found again when another
// stage copies them.
func (t *Tree) Settle(entries []layer.Entry) {
	settled := map[*Node]*Node{} // hard links stay one file
	for _, e := range entries {
		n := t.Nodes[e.Path]
		switch {
		case n == nil:
		case e.Type == layer.Regular:
			k, content := *n, e.Content // and not all of e
			k.Content = func() (layer.Content, error) { return content, nil }
			t.Nodes[e.Path] = &k
			if n.Hard {
				settled[n] = &k
			}
		case e.Type == layer.Hardlink && settled[n] != nil:
			t.Nodes[e.Path] = settled[n]
		}
	}
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
