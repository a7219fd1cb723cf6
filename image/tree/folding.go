package tree

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/image/layer"
)

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

// spell keeps the spelling of a path that is in the tree.
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
