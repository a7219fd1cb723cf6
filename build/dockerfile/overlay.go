package dockerfile

import (
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/build/layer"
)

// overlay is files with others in or over them.
type overlay struct {
	over  *tree
	under files
}

func (o overlay) lstat(p string) (*node, error) {
	n, err := o.over.lstat(p)
	if err != nil || n != nil && n.kind != layer.Dir {
		return n, err
	}
	below, err := o.under.lstat(p)
	if below != nil || err != nil {
		return below, err
	}
	return n, nil
}

func (o overlay) readDir(p string) ([]string, error) {
	names, err := o.over.readDir(p)
	if err != nil {
		return nil, err
	}
	if n, err := o.under.lstat(p); err != nil || n == nil || n.kind != layer.Dir {
		return names, err
	}
	more, err := o.under.readDir(p)
	all := slices.Concat(names, more)
	slices.Sort(all)
	return slices.Compact(all), err
}

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
