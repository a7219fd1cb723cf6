package containerfile

import (
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// output returns the files of [Input.Outputs] for a stage, nil for none.
func (b *builder) output(s *stage) (*tree.Tree, error) {
	for name, list := range b.in.Outputs {
		if name != "" && b.find(name) == s {
			return b.files(list)
		}
	}
	return nil, nil
}

// wanted returns those of paths that the tree lacks or has as a directory, which may be
// incomplete.
func wanted(have *tree.Tree, paths []string) ([]string, error) {
	var left []string
	for _, p := range paths {
		found, err := tree.Glob(have, path.Clean("/"+tree.Slashed(p)))
		if err != nil {
			return nil, err
		}
		directory := func(p string) bool { n := have.Nodes[p]; return n == nil || n.Kind == layer.Dir }
		if len(found) == 0 || slices.ContainsFunc(found, directory) {
			left = append(left, p)
		}
	}
	return left, nil
}

// fill lays the files of [Input.Outputs] over a stage that was evaluated.
func (s *stage) fill(with *tree.Tree) error {
	for _, p := range slices.Sorted(maps.Keys(with.Nodes)) {
		if with.Nodes[p].Kind == layer.Dir {
			continue
		}
		if err := s.Tree.MkdirAll(path.Dir(p), tree.Root); err != nil {
			return err
		}
		if err := s.Tree.Set(p, with.Nodes[p]); err != nil {
			return err
		}
	}
	s.Tree.Begin()
	return nil
}
