package bundle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
)

// SplitOptions are the size and the place of volumes.
type SplitOptions struct {
	MaxSize int64  // bytes of a volume at most
	Dir     string // directory of the volumes; empty is the current one
	// Check, which may be nil, is called with the bundle before anything is written.
	Check    func(b *Bundle) error
	Progress *progress.Printer
}

// Volume is a bundle with some images of another one.
type Volume struct {
	File   string   `json:"file"`
	Size   int64    `json:"size"`
	SHA256 string   `json:"sha256"`
	Images []string `json:"images"` // their names
}

// VolumesSuffix is what the name of the list of volumes has in place of .tar.zst.
const VolumesSuffix = distfile.VolumesSuffix

// Volumes is the list of volumes, in a file in their directory.
type Volumes struct {
	Bundle  string   `json:"bundle"`
	Product string   `json:"product"`
	Version string   `json:"version"`
	Volumes []Volume `json:"volumes"`
}

// slack covers the end of the archive and the seek table's own frame.
const slack = 1 << 10

// Split makes volumes of a bundle. Each is a bundle with some of the images, in their order, and
// can be loaded without the others; a layer that images of several volumes share is in each of
// them. All names of an image are in one volume, with its referrers. The volumes are
// NAME.1of3.tar.zst and so on, and NAME.volumes.json lists their images. An
// image that is larger than a volume is an error, before anything is written. All files get their
// names when all are complete, in place of those that the list of an earlier split names; other
// volumes are an error. A Split that was killed can be run again.
func Split(ctx context.Context, path string, o SplitOptions) (*Volumes, error) {
	o.Dir = cmp.Or(o.Dir, ".")
	before, _ := os.Stat(path) // Open reports an error
	b, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := b.CheckSeekable(); err != nil {
		return nil, err
	}
	if o.Check != nil {
		if err := o.Check(b); err != nil {
			return nil, err
		}
	}
	if b.contents.Volume != "" {
		return nil, fmt.Errorf("%s is volume %s of a bundle: split the bundle itself", path, b.contents.Volume)
	}
	parts, err := b.parts(o.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("splitting %s: %w", path, err)
	}
	dir, err := disk.MakeLocked(ctx, o.Dir, o.Progress.Printf)
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	if now, err := os.Stat(path); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(fmt.Errorf("%s was replaced by another slipway: split it again", path), err)
	}
	v := &Volumes{Bundle: filepath.Base(path), Product: b.contents.Product, Version: b.contents.Version}
	if err := b.writeVolumes(ctx, parts, v, o); err != nil {
		return nil, err
	}
	return v, nil
}

// parts divides the images among volumes, in their order. The names of one image are in one
// volume.
func (b *Bundle) parts(limit int64) ([]*Layout, error) {
	var parts []*Layout
	var errs []error
	for _, images := range b.contents.units() {
		alone, size, err := b.part(images)
		switch {
		case err != nil:
			return nil, err
		case size > limit:
			errs = append(errs,
				fmt.Errorf("%s takes %s, and a volume %s at most: an image is never divided, "+
					"so allow more with -max-size", images[0].Name, progress.Size(size), progress.Size(limit)))
			continue
		}
		if last := len(parts) - 1; last >= 0 {
			more, size, err := b.part(slices.Concat(parts[last].Contents.Images, images))
			if err != nil {
				return nil, err
			}
			if size <= limit {
				parts[last] = more
				continue
			}
		}
		parts = append(parts, alone)
	}
	for n, p := range parts {
		c := *p.Contents
		c.Volume = fmt.Sprintf("%d/%d", n+1, len(parts))
		if n > 0 {
			c.Omitted = nil // the first volume has them
		}
		var err error
		if parts[n], err = NewLayout(&c); err != nil {
			return nil, err
		}
	}
	return parts, errors.Join(errs...)
}

// units divides the images into those that belong together: names of one image, and of some of
// its platforms, which have the same layers, and whose referrers are with one of them.
func (c *Contents) units() (units [][]Image) {
	var digests []map[v1.Hash]bool // of the images of each unit, and their manifests
	for _, i := range c.Images {
		own := map[v1.Hash]bool{i.Digest(): true}
		for _, m := range i.Included() {
			own[m.Desc.Digest] = true
		}
		unit, at := []Image{i}, len(units)
		for n := len(units) - 1; n >= 0; n-- { // it may join several
			for h := range digests[n] {
				if !own[h] {
					continue
				}
				unit, at = slices.Concat(units[n], unit), n
				maps.Copy(own, digests[n])
				units, digests = slices.Delete(units, n, n+1), slices.Delete(digests, n, n+1)
				break
			}
		}
		units, digests = slices.Insert(units, at, unit), slices.Insert(digests, at, own)
	}
	return units
}

// part is a volume with some of the images, and the size of its file at most: that of a head that
// does not compress, and of the layers as they are in this bundle.
func (b *Bundle) part(images []Image) (*Layout, int64, error) {
	c := *b.contents
	c.Images, c.Volume = slices.Clone(images), "999/999"
	if n := c.Needs; n != nil { // those that these images have
		var err error
		if c.Needs, err = c.needs(n.lacking(), n.Bundle, n.Groups); err != nil {
			return nil, 0, err
		}
	}
	l, err := NewLayout(&c)
	if err != nil {
		return nil, 0, err
	}
	raw := entrySize(int64(len(l.docker))) + entrySize(int64(len(layoutFile))) + entrySize(int64(len(l.index)))
	for _, d := range l.metadata {
		raw += entrySize(d.Size)
	}
	n := raw + raw>>8 + (raw/seekable.CompressedFrame+1)*seekable.TableEntry + slack
	for _, d := range l.layers {
		size, frames := b.stored(d.Digest)
		n += size + frames*seekable.TableEntry
	}
	return l, n, nil
}

// stored is how many bytes of the file a layer takes, and in how many frames. Without a seek
// table it is what it would take if it did not compress.
func (b *Bundle) stored(h v1.Hash) (size, frames int64) {
	p, ok := b.layers[h]
	if !ok { // in the head
		return entrySize(int64(len(b.head.blobs[h]))), 1
	}
	n := entrySize(p.size)
	if !b.archive.HasTable() {
		return n + n>>8, n/seekable.StoredFrame + 1
	}
	frames, size = b.archive.Frames(p.off, p.off+n)
	return size, frames
}

// WriteTable writes the list for a person.
func (v *Volumes) WriteTable(w io.Writer) error {
	var b bytes.Buffer
	for _, vol := range v.Volumes {
		fmt.Fprintf(&b, "%s  %s  %s\n", vol.File, progress.Size(vol.Size), vol.SHA256)
		for _, i := range vol.Images {
			fmt.Fprintf(&b, "  %s\n", i)
		}
	}
	_, err := b.WriteTo(w)
	return err
}
