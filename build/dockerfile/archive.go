package dockerfile

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// isArchive reports whether a file is a tar, compressed or not, with at least one entry.
func isArchive(c layer.Content) (bool, error) {
	r, err := c.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	plain, err := archive.Decompress(r)
	if err != nil {
		return false, nil // what cannot be read as an archive is a file like any other
	}
	defer plain.Close()
	_, err = tar.NewReader(plain).Next()
	return err == nil, nil
}

// unpack lays the files of an archive into dest and reports whether it was one. asked means that
// the file has --unpack: then a zip is an archive, too.
func (b *builder) unpack(ctx context.Context, cp *copier, c layer.Content, dest string, asked bool) (bool, error) {
	open := func() (io.ReadCloser, error) { return decompressed(c.Open) }
	ok, err := isArchive(c)
	if !ok && err == nil && asked {
		ok, err = isZip(c)
		open = func() (io.ReadCloser, error) {
			// a zip is not read from its begin to its end, so that its reader sees no damage
			if err := verify(ctx, c); err != nil {
				return nil, err
			}
			return zipAsTar(c, b.budget)
		}
	}
	if !ok || err != nil {
		return false, err
	}
	file, err := b.spool(ctx, c.Digest, open)
	if limit := (*limitError)(nil); errors.As(err, &limit) {
		return true, limit
	}
	if err != nil {
		return true, cmp.Or(verify(ctx, c), err)
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
	f, err := b.in.Store.OpenKept(file)
	if err != nil {
		return true, err
	}
	defer f.Close()
	cp.led = map[string]string{}
	return true, scan(ctx, f, func(e tarEntry, h *tar.Header) error {
		return cp.extract(root, h, e.node(b.in.Store, func() (string, error) { return b.in.Store.PathKept(file), nil }))
	})
}

// verify reads content to its end, where its reader reports damage.
func verify(ctx context.Context, c layer.Content) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return progress.Drain(ctx, r, nil)
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

type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// spool keeps a decompressed archive in the store's work directory, so that its files can be read
// in any order.
func (b *builder) spool(ctx context.Context, digest v1.Hash, open func() (io.ReadCloser, error)) (store.Kept, error) {
	dir, err := b.in.Store.Work("tar")
	if err != nil {
		return store.Kept{}, err
	}
	file := filepath.Join(dir, digest.Hex+".tar")
	if k, ok := b.in.Store.Kept(file); ok {
		return k, nil
	}
	r, err := open()
	if err != nil {
		return store.Kept{}, err
	}
	defer r.Close()
	f, err := disk.Create(b.in.Store.Temp())
	if err != nil {
		return store.Kept{}, err
	}
	defer f.Abort()
	if _, err := io.Copy(f, progress.Reader(ctx, b.budget.unpack(r), nil)); err != nil {
		return store.Kept{}, fmt.Errorf("unpacking: %w", err)
	}
	b.spooled = append(b.spooled, file)
	if err := f.Commit(file, disk.ModeFile); err != nil {
		return store.Kept{}, err
	}
	return b.in.Store.Keep(ctx, file)
}
