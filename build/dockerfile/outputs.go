package dockerfile

import (
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/build/layer"
)

// output returns the files of [Input.Outputs] for a stage, nil for none.
func (b *builder) output(s *stage) (*tree, error) {
	for name, list := range b.in.Outputs {
		if name != "" && b.find(name) == s {
			return fileTree(list)
		}
	}
	return nil, nil
}

// wanted returns those of paths that the tree lacks or has as a directory, which may be
// incomplete.
func wanted(have *tree, paths []string) ([]string, error) {
	var left []string
	for _, p := range paths {
		found, err := glob(have, path.Clean("/"+slashed(p)))
		if err != nil {
			return nil, err
		}
		directory := func(p string) bool { n := have.nodes[p]; return n == nil || n.kind == layer.Dir }
		if len(found) == 0 || slices.ContainsFunc(found, directory) {
			left = append(left, p)
		}
	}
	return left, nil
}

// fill lays the files of [Input.Outputs] over a stage that was evaluated.
func (s *stage) fill(with *tree) error {
	for _, p := range slices.Sorted(maps.Keys(with.nodes)) {
		if with.nodes[p].kind == layer.Dir {
			continue
		}
		if err := s.tree.mkdirAll(path.Dir(p), rootNode); err != nil {
			return err
		}
		if err := s.tree.set(p, with.nodes[p]); err != nil {
			return err
		}
	}
	s.tree.begin()
	return nil
}
