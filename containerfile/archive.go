package containerfile

import (
	"archive/tar"
	"context"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// unpack lays the files of an archive into dest and reports whether it was one. asked means that
// the file has --unpack: then a zip is an archive, too.
func (b *builder) unpack(ctx context.Context, cp *copier, c layer.Content, dest string, asked bool) (bool, error) {
	open, err := b.archives.Tar(ctx, c, asked)
	if open == nil || err != nil {
		return false, err
	}
	root, err := tree.Follow(cp.dst, dest)
	if err != nil {
		return true, err
	}
	made := &tree.Node{Kind: layer.Dir, Mode: 0o755}
	cp.own(made)
	if err := cp.dst.MkdirAll(root, made); err != nil {
		return true, err
	}
	cp.led = map[string]string{}
	return true, b.archives.Each(ctx, c, open, func(h *tar.Header, n *tree.Node) error {
		return cp.extract(root, h, n)
	})
}

// extract puts one file of an archive into the tree, below root.
func (c *copier) extract(root string, h *tar.Header, n *tree.Node) error {
	name := path.Clean("/" + h.Name)
	if name == "/" {
		return nil
	}
	dir, ok := c.led[path.Dir(name)]
	if !ok {
		var err error
		if dir, err = tree.FollowWithin(c.dst, root, path.Dir(name)); err != nil {
			return err
		}
		if err := c.dst.MkdirAll(dir, tree.Root); err != nil {
			return err
		}
		c.led[path.Dir(name)] = dir
	}
	p := path.Join(dir, path.Base(name))
	if h.Typeflag == tar.TypeLink {
		target, err := tree.FollowWithin(c.dst, root, path.Dir(path.Clean("/"+h.Linkname)))
		if err != nil {
			return err
		}
		if n, err = c.dst.Lstat(path.Join(target, path.Base(h.Linkname))); err != nil {
			return err
		}
		if n == nil || n.Kind == layer.Dir {
			return fmt.Errorf("the archive has a hard link %s to %s, which is not a file before it", h.Name, h.Linkname)
		}
	}
	if n.Odd != "" {
		return fmt.Errorf("%s in the archive is %s, which a layer cannot contain here", h.Name, n.Odd)
	}
	there, err := c.dst.Lstat(p)
	if err != nil {
		return err
	}
	directory := there != nil && there.Kind == layer.Dir
	if c.windows && directory && n.Kind == layer.Dir {
		return nil
	}
	if n.Kind == layer.Symlink || there != nil && there.Kind == layer.Symlink || directory && n.Kind != layer.Dir {
		clear(c.led) // any of them may lead elsewhere from here on
	}
	k := *n
	c.own(&k)
	return c.dst.Set(p, &k)
}
