package system

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// maxDepth bounds how deep directories of certificates are, which may have links to each other.
const maxDepth = 32

// addAll adds all certificates below a directory, in the order of their paths.
func (c *certificates) addAll(dir string) error {
	found, err := c.find(dir, 0)
	if err != nil {
		return err
	}
	slices.Sort(found)
	for _, p := range found {
		if err := c.add(p); err != nil {
			return err
		}
	}
	return nil
}

// find returns the certificates below a directory, by links, too.
func (c *certificates) find(dir string, depth int) ([]string, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("update-ca-certificates: %s has more than %d directories in each other: "+
			"remove a link to one above", c.local, maxDepth)
	}
	at, n, err := tree.Resolve(c.s.Tree, dir)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return nil, err
	}
	names, err := c.s.Tree.ReadDir(at)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		p := dir + "/" + name
		n, err := c.s.stat(p)
		switch {
		case err != nil:
			return nil, err
		case n == nil:
		case n.Kind == layer.Dir:
			more, err := c.find(p, depth+1)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		case n.Kind == layer.Regular && n.Odd == "" && strings.HasSuffix(name, ".crt"):
			found = append(found, p)
		}
	}
	return found, nil
}

// links calls do for every symbolic link below a directory.
func (c *certificates) links(dir string, do func(p string, n *tree.Node) error) error {
	names, err := c.s.Tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(dir, name)
		n, err := c.s.Tree.Lstat(p)
		if err != nil {
			return err
		}
		switch n.Kind {
		case layer.Dir:
			err = c.links(p, do)
		case layer.Symlink:
			err = do(p, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clear removes the links to certificates, and then those that lead to no file.
func (c *certificates) clear() error {
	dir, err := tree.Follow(c.s.Tree, c.etc)
	if err != nil {
		return err
	}
	err = c.links(dir, func(p string, n *tree.Node) error {
		if strings.HasPrefix(n.Link, c.dir) || strings.HasPrefix(n.Link, c.local) {
			return c.s.Tree.Erase(p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.links(dir, func(p string, _ *tree.Node) error {
		if ok, err := c.s.is(p, layer.Regular); err != nil || ok {
			return err
		}
		return c.s.Tree.Erase(p)
	})
}

// removeOrphans removes links that lead nowhere.
func (c *certificates) removeOrphans() error {
	dir, err := tree.Follow(c.s.Tree, c.etc)
	if err != nil {
		return err
	}
	return c.links(dir, func(p string, _ *tree.Node) error {
		if gone, err := c.s.missing(p); err != nil || !gone {
			return err
		}
		return c.s.Tree.Erase(p)
	})
}

var hookName = lazyregexp.New(`^[a-zA-Z0-9_-]+$`)

// refuseHooks refuses programs that other packages want to run with each change.
func (c *certificates) refuseHooks(known ...string) error {
	if c.hooks == "" {
		return nil
	}
	at, n, err := tree.Resolve(c.s.Tree, c.hooks)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	names, err := c.s.Tree.ReadDir(at)
	if err != nil {
		return err
	}
	for _, name := range names {
		n, err := c.s.stat(path.Join(at, name))
		if err != nil {
			return err
		}
		if hookName.MatchString(name) && n != nil && n.Kind == layer.Regular && n.Mode&0o111 != 0 &&
			!slices.Contains(known, name) {
			return fmt.Errorf("update-ca-certificates: the hook %s/%s is a program, and none is run here: "+
				"remove it before",
				c.hooks, name)
		}
	}
	return nil
}
