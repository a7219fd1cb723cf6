package dockerfile

import (
	"archive/tar"
	"context"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/build/layer"
)

// unpack lays the files of an archive into dest and reports whether it was one. asked means that
// the file has --unpack: then a zip is an archive, too.
func (b *builder) unpack(ctx context.Context, cp *copier, c layer.Content, dest string, asked bool) (bool, error) {
	open, err := b.archives.tarOf(ctx, c, asked)
	if open == nil || err != nil {
		return false, err
	}
	root, err := follow(cp.dst, dest)
	if err != nil {
		return true, err
	}
	made := &node{kind: layer.Dir, mode: 0o755}
	cp.own(made)
	if err := cp.dst.mkdirAll(root, made); err != nil {
		return true, err
	}
	cp.led = map[string]string{}
	return true, b.archives.each(ctx, c, open, func(h *tar.Header, n *node) error { return cp.extract(root, h, n) })
}

// extract puts one file of an archive into the tree, below root.
func (c *copier) extract(root string, h *tar.Header, n *node) error {
	name := path.Clean("/" + h.Name)
	if name == "/" {
		return nil
	}
	dir, ok := c.led[path.Dir(name)]
	if !ok {
		var err error
		if dir, err = followWithin(c.dst, root, path.Dir(name)); err != nil {
			return err
		}
		if err := c.dst.mkdirAll(dir, rootNode); err != nil {
			return err
		}
		c.led[path.Dir(name)] = dir
	}
	p := path.Join(dir, path.Base(name))
	if h.Typeflag == tar.TypeLink {
		target, err := followWithin(c.dst, root, path.Dir(path.Clean("/"+h.Linkname)))
		if err != nil {
			return err
		}
		if n, err = c.dst.lstat(path.Join(target, path.Base(h.Linkname))); err != nil {
			return err
		}
		if n == nil || n.kind == layer.Dir {
			return fmt.Errorf("the archive has a hard link %s to %s, which is not a file before it", h.Name, h.Linkname)
		}
	}
	if n.odd != "" {
		return fmt.Errorf("%s in the archive is %s, which a layer cannot contain here", h.Name, n.odd)
	}
	there, err := c.dst.lstat(p)
	if err != nil {
		return err
	}
	directory := there != nil && there.kind == layer.Dir
	if c.windows && directory && n.kind == layer.Dir {
		return nil
	}
	if n.kind == layer.Symlink || there != nil && there.kind == layer.Symlink || directory && n.kind != layer.Dir {
		clear(c.led) // any of them may lead elsewhere from here on
	}
	k := *n
	c.own(&k)
	return c.dst.set(p, &k)
}
