package apt

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// cleaned is apt-get clean: it removes the packages that apt has downloaded, and its caches of
// indexes.
func cleaned(t *tree.Tree) error {
	for _, dir := range []string{"/var/cache/apt/archives", "/var/cache/apt/archives/partial"} {
		err := each(t, dir, func(name string, n *tree.Node) bool {
			return n.Kind == layer.Regular && name != "lock"
		})
		if err != nil {
			return err
		}
	}
	return each(t, "/var/cache/apt", func(name string, _ *tree.Node) bool {
		return strings.HasSuffix(name, "pkgcache.bin")
	})
}

// emptied removes all that is in some directories.
func emptied(t *tree.Tree, dirs ...string) error {
	for _, dir := range dirs {
		if err := each(t, dir, func(name string, _ *tree.Node) bool { return name[0] != '.' }); err != nil {
			return err
		}
	}
	return nil
}

// each removes what is in a directory and chosen.
func each(t *tree.Tree, dir string, chosen func(name string, n *tree.Node) bool) error {
	dir, n, err := tree.Resolve(t, dir)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	names, err := t.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(dir, name)
		n, err := t.Lstat(p)
		if err != nil {
			return err
		}
		if n != nil && chosen(name, n) {
			if err := t.Erase(p); err != nil {
				return err
			}
		}
	}
	return nil
}
