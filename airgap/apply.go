package airgap

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Apply makes the bundle that a delta stands for, byte for byte as it was packed, of the delta
// and its base, and writes it to out. Every layer is held against its digest, and the file
// against the checksum that the delta has of it, before it gets its name.
func Apply(ctx context.Context, delta, base, out string, pr *progress.Printer) (*File, error) {
	dir, err := hold(ctx, filepath.Dir(out), pr)
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	d, err := openAny(delta)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	says := d.contents.Delta
	if says == nil {
		return nil, fmt.Errorf("%s is no delta but a whole bundle: use it as it is", delta)
	}
	b, err := Open(base)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := says.fits(delta, base, b); err != nil {
		return nil, err
	}
	pl, l, err := d.reread()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", delta, err)
	}
	enc, err := seekable.NewEncoders()
	if err != nil {
		return nil, err
	}
	lacking := says.lacking()
	p := &packer{lock: l, enc: enc, task: pr.Start("making "+filepath.Base(out), progress.Bytes, pl.size()), open: func(h v1.Hash) (io.ReadCloser, error) {
		if lacking[h] {
			return b.source(h)
		}
		return d.source(h)
	}}
	f, err := p.apply(ctx, pl, out, says)
	if err != nil {
		p.task.Fail()
		return nil, fmt.Errorf("making %s: %w", out, err)
	}
	p.task.Done("%s", progress.Size(f.Size))
	return f, nil
}

func (p *packer) apply(ctx context.Context, pl *plan, out string, says *Delta) (*File, error) {
	docker, oci, err := pl.views(p.lock)
	if err != nil {
		return nil, err
	}
	f := &File{Path: out, Images: pl.images(), LeftOut: pl.leftOut}
	err = p.write(ctx, pl, docker, oci, f, func(made *File) error {
		if made.SHA256 == says.SHA256 {
			return nil
		}
		return fmt.Errorf("all layers are right, but the file has the checksum %s, not %s: it was packed by another version of slipway, which compresses in another way; use that of the release, in bin/",
			made.SHA256, says.SHA256)
	})
	if errors.Is(err, tar.ErrWriteTooLong) {
		err = errors.New("a layer is larger than its manifest says")
	}
	return f, err
}

// fits reports whether a base has all that the delta lacks.
func (d *Delta) fits(delta, path string, b *Bundle) error {
	var missing int
	for _, h := range d.Lacking {
		if _, here := b.places[h]; !here && b.head.blobs[h] == nil {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	c := b.contents
	return fmt.Errorf("%s is not what %s builds on: it is %s %s and lacks %d of the %d layers; the base is %s of version %s, sha256 %s",
		path, delta, c.Product, c.Version, missing, len(d.Lacking), d.Base.File, d.Base.Version, d.Base.SHA256)
}
