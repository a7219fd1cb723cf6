package dockerfile

import (
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
