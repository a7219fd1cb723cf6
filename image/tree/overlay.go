package tree

import (
	"slices"

	"github.com/slipway-dev/slipway/image/layer"
)

// Overlay is files with others in or over them.
type Overlay struct {
	Over  *Tree
	Under Files
}

// Lstat returns what is at a path, as [Files] has it.
func (o Overlay) Lstat(p string) (*Node, error) {
	n, err := o.Over.Lstat(p)
	if err != nil || n != nil && n.Kind != layer.Dir {
		return n, err
	}
	below, err := o.Under.Lstat(p)
	if below != nil || err != nil {
		return below, err
	}
	return n, nil
}

// ReadDir returns the sorted names in a directory.
func (o Overlay) ReadDir(p string) ([]string, error) {
	names, err := o.Over.ReadDir(p)
	if err != nil {
		return nil, err
	}
	if n, err := o.Under.Lstat(p); err != nil || n == nil || n.Kind != layer.Dir {
		return names, err
	}
	more, err := o.Under.ReadDir(p)
	all := slices.Concat(names, more)
	slices.Sort(all)
	return slices.Compact(all), err
}
