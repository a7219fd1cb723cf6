package bundle

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
)

// ApplyOptions configure how a delta is applied.
type ApplyOptions struct {
	// Check is called with the delta and its base before anything is written. It may be nil.
	Check    func(delta, base *Bundle) error
	Progress *progress.Printer // nil: quiet
}

// Apply makes the bundle of a delta and its base, byte for byte as it was packed, and writes it to
// out. It compares every layer with its digest, and the file with the checksum in the delta, before
// the file gets its name.
func Apply(ctx context.Context, delta, base, out string, o ApplyOptions) (*File, error) {
	dir, err := disk.Lock(ctx, filepath.Dir(out), o.Progress.Printf)
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	d, err := OpenAny(delta)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.contents.Delta == nil {
		return nil, fmt.Errorf("%s is not a delta but a complete bundle: use it as it is", delta)
	}
	b, err := Open(base)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := errors.Join(d.CheckSeekable(), b.CheckSeekable()); err != nil {
		return nil, err
	}
	if err := d.contents.Delta.checkBase(delta, base, b); err != nil {
		return nil, err
	}
	if o.Check != nil {
		if err := o.Check(d, b); err != nil {
			return nil, err
		}
	}
	f, err := d.apply(ctx, b, out, o.Progress)
	if errors.Is(err, tar.ErrWriteTooLong) {
		err = errors.New("a layer is larger than in its manifest")
	}
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", out, err)
	}
	return f, nil
}

func (d *Bundle) apply(ctx context.Context, base *Bundle, out string, pr *progress.Printer) (*File, error) {
	want, lacking := d.contents.Delta, d.contents.Delta.lacking()
	c := *d.contents
	c.Delta = nil
	l, err := NewLayout(&c)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(func(h v1.Hash) (io.ReadCloser, error) {
		if lacking[h] {
			return base.Open(h)
		}
		return d.Open(h)
	})
	if err != nil {
		return nil, err
	}
	task := pr.Start("making "+filepath.Base(out), progress.Bytes, l.Size())
	defer task.Fail()
	f, err := w.Write(ctx, l, out, "", task, func(made *File) error {
		if made.SHA256 == want.SHA256 {
			return nil
		}
		return fmt.Errorf("all layers are right, but the file has the checksum %s, not %s: it was "+
			"packed by another version of slipway, which compresses in another way; use that of the release, in bin/",
			made.SHA256, want.SHA256)
	})
	if err == nil {
		task.Done("%s", progress.Size(f.Size))
	}
	return f, err
}

// checkBase checks that a base has all layers that the delta lacks.
func (d *Delta) checkBase(delta, path string, b *Bundle) error {
	var missing int
	for _, h := range d.Lacking {
		if !b.Has(h) {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	c := b.contents
	return fmt.Errorf("%s is not the base of %s: it is %s %s and lacks %d of the %d layers; "+
		"the base is %s of version %s, sha256 %s",
		path, delta, c.Product, c.Version, missing, len(d.Lacking), d.Base.File, d.Base.Version, d.Base.SHA256)
}
