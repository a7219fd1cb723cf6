package tree

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// near is how large a layer in the store may be, in bytes, for a check to read it.
const near = 4 << 20

// Distant reports whether it would take a download, or long, to know the files of an image.
func (a *Archives) Distant(img v1.Image) (bool, error) {
	layers, diffIDs, err := layersOf(img)
	if err != nil {
		return false, err
	}
	for n, l := range layers {
		var entries []tarEntry
		if found, err := a.store.Recall(Kind, indexFormat+diffIDs[n].String(), &entries); err != nil || found {
			if err != nil {
				return false, err
			}
			continue
		}
		d, err := l.Digest()
		if err != nil {
			return false, err
		}
		size, err := l.Size()
		if err != nil || size > near || !a.store.Has(d) {
			return true, err
		}
	}
	return false, nil
}

// layersOf returns the layers of an image and their diffIDs. These are from its configuration: a
// layer may have to be unpacked to know its own.
func layersOf(img v1.Image) ([]v1.Layer, []v1.Hash, error) {
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, nil, err
	}
	layers, err := img.Layers()
	if err != nil {
		return nil, nil, err
	}
	if n := len(cf.RootFS.DiffIDs); n != len(layers) {
		return nil, nil, fmt.Errorf("its configuration has %d layers and its manifest %d: "+
			"use an image that is not damaged", n, len(layers))
	}
	return layers, cf.RootFS.DiffIDs, nil
}

// ReadImage makes a tree of an image: names and metadata of its files, layer upon layer. Contents
// stay where they are.
func (a *Archives) ReadImage(ctx context.Context, img v1.Image) (*Tree, error) {
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, diffIDs, err := layersOf(img)
	if err != nil {
		return nil, err
	}
	return a.ReadLayers(ctx, layers, diffIDs, cf.OS == platform.Windows)
}

// ReadLayers makes a tree of layers, as ReadImage does, with the digests of their tars.
func (a *Archives) ReadLayers(ctx context.Context, layers []v1.Layer, diffIDs []v1.Hash, windows bool) (*Tree, error) {
	t := New(nil)
	if windows {
		t.Caseless(false)
	}
	for n, l := range layers {
		diffID := diffIDs[n]
		entries, err := a.index(ctx, l.Compressed, diffID)
		if err == nil {
			err = labeled(l, diffID)
		}
		if err != nil {
			return nil, a.blame(ctx, l, err)
		}
		file := func() (string, error) {
			name, err := a.spoolLayer(ctx, l, diffID)
			if err != nil {
				return "", a.blame(ctx, l, err)
			}
			return name, nil
		}
		t.Begin()
		for _, e := range entries {
			if err := t.apply(e, windows, e.node(a.store, file)); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// Kind is the kind of records that list the files of layers and archives.
const Kind = "tar"

const indexFormat = "5 " // another form of a layer's list has another number

// index lists the files of a layer. The store remembers it, so that a base is read once. The
// bytes must have the digest in the image's configuration, since that is what the list is
// remembered by.
func (a *Archives) index(ctx context.Context, open func() (io.ReadCloser, error), diffID v1.Hash,
) ([]tarEntry, error) {
	var entries []tarEntry
	if found, err := a.store.Recall(Kind, indexFormat+diffID.String(), &entries); err != nil || found {
		return fromRecord(entries), err
	}
	plain, err := decompressed(open)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	entries = []tarEntry{}
	bounded := ofLayer(a.limits).unpack(plain)
	list := func(r io.Reader) error {
		return scan(ctx, r, func(e tarEntry, h *tar.Header) error {
			if len(entries) == bounded.b.Files {
				return tooMany(bounded.b.Files)
			}
			e.windows(h)
			entries = append(entries, e)
			return nil
		})
	}
	if err := a.read(bounded, list, diffID); err != nil {
		return nil, err
	}
	return entries, a.store.Record(Kind, indexFormat+diffID.String(), forRecord(entries))
}

// forRecord returns entries as a record has them: names that are not UTF-8 as bytes.
func forRecord(entries []tarEntry) []tarEntry {
	var all []tarEntry
	for n, e := range entries {
		if utf8.ValidString(e.Name) && utf8.ValidString(e.Link) {
			continue
		}
		if all == nil {
			all = slices.Clone(entries)
		}
		all[n].RawName, all[n].RawLink, all[n].Name, all[n].Link = []byte(e.Name), []byte(e.Link), "", ""
	}
	if all == nil {
		return entries
	}
	return all
}

func fromRecord(entries []tarEntry) []tarEntry {
	for n := range entries {
		if e := &entries[n]; e.RawName != nil || e.RawLink != nil {
			e.Name, e.Link, e.RawName, e.RawLink = string(e.RawName), string(e.RawLink), nil, nil
		}
	}
	return entries
}

// read reads a layer, and keeps it if its contents are read, too.
func (a *Archives) read(r io.Reader, list func(io.Reader) error, diffID v1.Hash) error {
	if a.Whole {
		file, err := a.spoolFile(diffID)
		if err == nil {
			_, err = a.spoolTo(file, r, list, diffID)
		}
		return err
	}
	sum := sha256.New()
	if err := list(io.TeeReader(r, sum)); err != nil {
		return err
	}
	return same(oci.Sum(sum), diffID)
}

// spoolLayer decompresses a layer into the store's work directory.
func (a *Archives) spoolLayer(ctx context.Context, l v1.Layer, diffID v1.Hash) (string, error) {
	k, err := a.spool(ctx, diffID, func() (io.ReadCloser, error) { return decompressed(l.Compressed) })
	if err != nil {
		return "", err
	}
	return a.store.PathKept(k), same(k.Digest, diffID)
}

// same compares a layer's tar with its digest in the configuration.
func same(got, diffID v1.Hash) error {
	if got != diffID {
		return fmt.Errorf("its tar has digest %s, the image's configuration has %s: use an image that is not damaged",
			got, diffID)
	}
	return nil
}

// blame adds to an error the layer that it is about, and that it is damaged in the store, if it
// is: a decompressor sees damage before the reader of the blob does, which compares the digest at
// the end.
func (a *Archives) blame(ctx context.Context, l v1.Layer, err error) error {
	h, digestErr := l.Digest()
	if digestErr != nil || ctx.Err() != nil {
		return err
	}
	var damaged *store.DamagedError
	if errors.As(err, &damaged) || errors.As(a.store.Prove(ctx, h), &damaged) {
		return damaged
	}
	return fmt.Errorf("layer %s: %w", h, err)
}

const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// apply lays one entry of a layer, the file n, over t. Whiteouts remove files of lower layers.
func (t *Tree) apply(e tarEntry, windows bool, n *Node) error {
	name, link := path.Clean("/"+e.Name), path.Clean("/"+e.Link)
	if windows {
		var ok bool
		if name, ok = strings.CutPrefix(name, "/Files"); !ok || name == "" || name[0] != '/' {
			return nil // Hives and anything else that is not a file of the image
		}
		link = strings.TrimPrefix(link, "/Files")
	}
	if name == "/" {
		return nil
	}
	dir, base := path.Split(name)
	dir, err := t.Spelled(path.Clean(dir))
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
		gone, err := t.Spelled(path.Join(dir, base[len(whiteout):]))
		if err != nil {
			return err
		}
		t.removeOld(gone)
		return nil
	}
	if dir, err = Follow(t, dir); err != nil {
		return err
	}
	if err := t.MkdirAll(dir, Root); err != nil {
		return err
	}
	if e.Hardlink {
		if n, err = t.Lstat(link); err != nil {
			return err
		}
		if n == nil || n.Kind == layer.Dir {
			return fmt.Errorf("%s is a hard link to %s, which is not there", name, link)
		}
		if !windows && !n.Hard && n.Kind == layer.Regular {
			if n, err = t.harden(link, n); err != nil {
				return err
			}
		}
	}
	return t.Set(path.Join(dir, base), n)
}

// removeOld removes the files at p that were in the tree before the last begin.
func (t *Tree) removeOld(p string) {
	for name := range t.names[p] {
		t.removeOld(path.Join(p, name))
	}
	if !t.Touched[p] && len(t.names[p]) == 0 {
		t.remove(p)
	}
}
