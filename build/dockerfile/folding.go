package dockerfile

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/build/layer"
)

// caseless makes of an empty tree one in which names that differ only in case are one, as on
// Windows: a name keeps the spelling it came with, and every other spelling finds it. Without
// that a copy to C:\windows would make a second directory next to the base's C:\Windows, which
// takes that one's place when the image is run, with other permissions.
func (t *tree) caseless(exact bool) { t.spelling, t.exact = map[string]string{}, exact }

// spelled returns p in the spelling that the tree has. Parts that are not there stay as they are
// written.
func (t *tree) spelled(p string) (string, error) {
	if t.spelling == nil || p == "/" || t.nodes[p] != nil {
		return p, nil
	}
	dir, err := t.spelled(path.Dir(p))
	if err != nil {
		return "", err
	}
	p = path.Join(dir, path.Base(p))
	if s, ok := t.spelling[layer.Fold(p)]; ok {
		return s, nil
	}
	if t.hidden(p) {
		return p, nil
	}
	below, err := t.below()
	if err != nil {
		return "", err
	}
	return below.spelled(p)
}

// spell keeps the spelling of a path that is in the tree.
func (t *tree) spell(p string) {
	if t.spelling != nil {
		t.spelling[layer.Fold(p)] = p
	}
}

// claim is spelled for a path that is being written. What the layer has by another name already
// would be lost, so that is an error.
func (t *tree) claim(p string) (string, error) {
	s, err := t.spelled(p)
	if err == nil && t.exact && path.Base(s) != path.Base(p) && t.touched[s] {
		return "", fmt.Errorf("%s and %s differ only in case: Windows takes them for one file: rename one", s, p)
	}
	return s, err
}

// fold returns a name as names of the tree are compared, and a pattern for them.
func fold(f files, name string) string {
	if t, ok := f.(*tree); ok && t.spelling != nil {
		return layer.Fold(name)
	}
	return name
}
