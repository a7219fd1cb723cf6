package dockerfile

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/platform"
)

// imageFiles is an image to stand on or to copy from. Its layers are read when it first matters what is in them.
type imageFiles struct {
	base  Base
	files func() (*tree, error)
}

// image resolves an image's name, once for each platform.
func (b *builder) image(ctx context.Context, name string, p v1.Platform) (Base, *imageFiles, error) {
	key := name + " " + formatPlatform(p)
	if i, ok := b.images[key]; ok {
		return i.base, i, nil
	}
	if b.in.Base == nil {
		return Base{}, nil, errors.New("no images can be had here: use scratch, a stage above or a named context")
	}
	base, err := b.in.Base(ctx, name, p)
	if err != nil {
		return Base{}, nil, err
	}
	i := &imageFiles{base: base}
	i.files = sync.OnceValues(func() (*tree, error) {
		t, err := b.readImage(ctx, base.Image)
		if err != nil {
			return nil, fmt.Errorf("reading the layers of %s: %w", name, err)
		}
		return t, nil
	})
	if b.images == nil {
		b.images = map[string]*imageFiles{}
	}
	b.images[key] = i
	return base, i, nil
}

// readImage makes a tree of an image: names and metadata of its files, layer upon layer. Contents stay where they are.
func (b *builder) readImage(ctx context.Context, img v1.Image) (*tree, error) {
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	t := newTree(nil)
	if cf.OS == platform.Windows {
		t.caseless(false)
	}
	for _, l := range layers {
		diffID, err := l.DiffID()
		if err != nil {
			return nil, err
		}
		open := func() (io.ReadCloser, error) {
			r, err := l.Compressed()
			if err != nil {
				return nil, err
			}
			return decompressed(r)
		}
		entries, err := b.index(ctx, diffID, open)
		if err != nil {
			return nil, err
		}
		file := func() (string, error) { return b.spool(ctx, diffID, open) }
		t.begin()
		for _, e := range entries {
			if err := t.apply(e, cf.OS == platform.Windows, file); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// index lists what a layer holds. The store remembers it, so that a base is read once.
func (b *builder) index(ctx context.Context, diffID v1.Hash, open func() (io.ReadCloser, error)) ([]tarEntry, error) {
	const kind, format = "tar", "2 "
	var entries []tarEntry
	if found, err := b.in.Store.Recall(kind, format+diffID.String(), &entries); err != nil || found {
		return entries, err
	}
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	entries = []tarEntry{}
	err = scan(ctx, r, func(h *tar.Header, offset int64) error {
		e := header(h, offset)
		if _, ok := h.PAXRecords["SCHILY.xattr.security.capability"]; ok && e.Odd == "" {
			e.Odd = "a file with capabilities"
		}
		e.windows(h)
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return entries, b.in.Store.Record(kind, format+diffID.String(), entries)
}

const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// apply lays one entry of a layer over t. Whiteouts remove what was there before the layer began.
func (t *tree) apply(e tarEntry, windows bool, file func() (string, error)) error {
	name, link := path.Clean("/"+e.Name), path.Clean("/"+e.Link)
	if windows {
		var ok bool
		if name, ok = strings.CutPrefix(name, "/Files"); !ok || name == "" || name[0] != '/' {
			return nil // Hives and what else is no file of the image
		}
		link = strings.TrimPrefix(link, "/Files")
	}
	if name == "/" {
		return nil
	}
	dir, base := path.Split(name)
	dir, err := t.spelled(path.Clean(dir))
	if err != nil {
		return err
	}
	switch {
	case base == opaque:
		for old := range t.names[dir] {
			t.removeOld(path.Join(dir, old))
		}
		return nil
	case strings.HasPrefix(base, whiteout):
		gone, err := t.spelled(path.Join(dir, base[len(whiteout):]))
		if err != nil {
			return err
		}
		t.removeOld(gone)
		return nil
	}
	if dir, err = follow(t, dir); err != nil {
		return err
	}
	if err := t.mkdirAll(dir, rootNode); err != nil {
		return err
	}
	n := e.nodeIn(file)
	if e.Hardlink {
		if n, err = t.lstat(link); err != nil {
			return err
		}
		if n == nil || n.kind == layer.Dir {
			return fmt.Errorf("%s is a hard link to %s, which is not there", name, link)
		}
	}
	return t.set(path.Join(dir, base), n)
}

// removeOld removes what was in the tree at p before the last begin.
func (t *tree) removeOld(p string) {
	for name := range t.names[p] {
		t.removeOld(path.Join(p, name))
	}
	if !t.touched[p] && len(t.names[p]) == 0 {
		t.remove(p)
	}
}
