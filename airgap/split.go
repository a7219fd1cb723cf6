package airgap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// SplitOptions say how a bundle is split.
type SplitOptions struct {
	MaxSize  int64  // bytes of a volume at most
	Dir      string // directory of the volumes; empty is the current one
	Progress *progress.Printer
}

// Volume is one part of a bundle, a bundle itself.
type Volume struct {
	File   string   `json:"file"`
	Size   int64    `json:"size"`
	SHA256 string   `json:"sha256"`
	Images []string `json:"images"` // their names
}

// VolumesSuffix is what the name of the list has behind that of the bundle.
const VolumesSuffix = ".volumes.json"

// Volumes is the list that stands beside the volumes: what is where.
type Volumes struct {
	Bundle  string   `json:"bundle"`
	Product string   `json:"product"`
	Version string   `json:"version"`
	Volumes []Volume `json:"volumes"`
}

// slack covers the end of the archive and the seek table's own frame.
const slack = 1 << 10

// Split makes volumes of a bundle, each of which is a bundle with some of its images, in their
// order, and loads without the others. They are named NAME.1of3.tar.zst, and NAME.volumes.json says
// what is where. An image that is larger than a volume is an error, before anything is written. A
// layer that images of several volumes share stands in each of them. All appear under their names
// when all are complete, in place of those of an earlier split, which the list there names; volumes
// that it does not name are an error. A Split that was killed can be run again.
func Split(ctx context.Context, path string, o SplitOptions) (*Volumes, error) {
	o.Dir = cmp.Or(o.Dir, ".")
	before, _ := os.Stat(path) // where there is none, Open says so
	b, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if b.contents.Volume != "" {
		return nil, fmt.Errorf("%s is volume %s of a bundle: split the bundle itself", path, b.contents.Volume)
	}
	whole, l, err := b.reread()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".tar.zst")
	plans, err := b.volumes(whole, l, name, o.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("splitting %s: %w", path, err)
	}
	dir, err := disk.Make(ctx, o.Dir, waiting(o.Progress, o.Dir))
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	if now, err := os.Stat(path); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(fmt.Errorf("%s was replaced by another slipway: split it again", path), err)
	}
	v := &Volumes{Bundle: filepath.Base(path), Product: l.Name, Version: l.Version}
	if err := b.write(ctx, plans, l, v, o); err != nil {
		return nil, err
	}
	return v, nil
}

// volumes fills one volume after the other with images, in their order.
func (b *Bundle) volumes(whole *plan, l *lock.Lock, name string, limit int64) ([]*plan, error) {
	var plans []*plan
	var errs []error
	for _, k := range whole.picks {
		alone, err := whole.part([]pick{k})
		if err != nil {
			return nil, err
		}
		size, err := b.estimate(alone, l)
		switch {
		case err != nil:
			return nil, err
		case size > limit:
			errs = append(errs, fmt.Errorf("%s takes %s, and a volume %s at most: an image is never divided, so allow more with -max-size", k.name, progress.Size(size), progress.Size(limit)))
			continue
		}
		if n := len(plans); n > 0 {
			more, err := whole.part(append(plans[n-1].picks[:len(plans[n-1].picks):len(plans[n-1].picks)], k))
			if err != nil {
				return nil, err
			}
			if size, err = b.estimate(more, l); err != nil {
				return nil, err
			}
			if size <= limit {
				plans[n-1] = more
				continue
			}
		}
		plans = append(plans, alone)
	}
	for n, p := range plans {
		p.volume = fmt.Sprintf("%d/%d", n+1, len(plans))
		p.bundle.Name = fmt.Sprintf("%s.%dof%d", name, n+1, len(plans))
		if n > 0 {
			p.leftOut = nil // said once
		}
	}
	return plans, errors.Join(errs...)
}

// part is a plan with some of the images.
func (p *plan) part(picks []pick) (*plan, error) {
	q := &plan{bundle: p.bundle, created: p.created, leftOut: p.leftOut, standIn: p.standIn, picks: picks, volume: "999/999"}
	return q, q.arrange()
}

// estimate is what the file of a plan takes at most: the head as if it did not compress, and the
// layers as they are in this bundle.
func (b *Bundle) estimate(p *plan, l *lock.Lock) (int64, error) {
	docker, oci, err := p.views(l)
	if err != nil {
		return 0, err
	}
	raw := entrySize(int64(len(docker))) + entrySize(int64(len(layoutFile))) + entrySize(int64(len(oci)))
	for _, d := range p.head {
		raw += entrySize(d.Size)
	}
	n := raw + raw>>8 + (raw/seekable.CompressedFrame+1)*seekable.TableEntry + slack
	for _, d := range p.layers {
		size, frames := b.stored(d.Digest)
		n += size + frames*seekable.TableEntry
	}
	return n, nil
}

// stored is how many bytes of the file a layer takes, and in how many frames. Without a seek
// table, it is what it would take if it did not compress.
func (b *Bundle) stored(h v1.Hash) (size, frames int64) {
	p, ok := b.places[h]
	if !ok { // in the head
		n := entrySize(int64(len(b.head.blobs[h])))
		return n, 1
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
	for _, vol := range v.Volumes {
		if _, err := fmt.Fprintf(w, "%s  %s  %s\n", vol.File, progress.Size(vol.Size), vol.SHA256); err != nil {
			return err
		}
		for _, i := range vol.Images {
			if _, err := fmt.Fprintf(w, "  %s\n", i); err != nil {
				return err
			}
		}
	}
	return nil
}
