package dockerfile

import (
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/build/layer"
)

// settle keeps the contents that entries found, so that they are not found again when another
// stage copies them.
func (t *tree) settle(entries []layer.Entry) {
	for _, e := range entries {
		if n := t.nodes[e.Path]; n != nil && e.Type == layer.Regular {
			k, content := *n, e.Content // and not all of e
			k.content = func() (layer.Content, error) { return content, nil }
			t.nodes[e.Path] = &k
		}
	}
}

// merge lays another tree over t, as COPY --link does: nothing that was in t decides where the
// files go. On Windows a directory that is there stays as it is, with its permissions.
func (t *tree) merge(other *tree) error {
	for _, p := range slices.Sorted(maps.Keys(other.nodes)) {
		if t.spelling != nil && other.nodes[p].kind == layer.Dir {
			there, err := t.lstat(p)
			if err != nil {
				return err
			}
			if there != nil && there.kind == layer.Dir {
				continue
			}
		}
		if err := t.set(p, other.nodes[p]); err != nil {
			return err
		}
	}
	return nil
}
