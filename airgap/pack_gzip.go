package airgap

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
)

// twins writes a bundle as .tar.zst and as .tar.gz, from one reading of the blobs, or keeps both as
// they were packed before. name is that of the .tar.zst.
func (p *packer) twins(ctx context.Context, l *bundle.Layout, name string) (bundle.File, error) {
	p.task.Note(name)
	zstd := bundle.File{Path: filepath.Join(p.dir, name), Contents: l.Contents}
	gzip := bundle.File{Path: strings.TrimSuffix(zstd.Path, distfile.BundleSuffix) + distfile.GzipSuffix}
	kept, keys := true, [2]string{}
	for n, f := range []*bundle.File{&zstd, &gzip} {
		var err error
		if keys[n], err = reuseKey(l, f.Path); err != nil {
			return zstd, err
		}
		if !kept {
			continue
		}
		if kept, err = p.recall(ctx, keys[n], f); err != nil {
			return zstd, err
		}
	}
	if kept {
		p.task.Add(l.Size())
		zstd.Gzip = &bundle.Archive{Path: gzip.Path, Size: gzip.Size, SHA256: gzip.SHA256}
		return zstd, nil
	}
	if err := p.writers.Acquire(ctx, 1); err != nil {
		return zstd, err
	}
	defer p.writers.Release(1)
	made, err := p.w.WriteTwins(ctx, l, zstd.Path, gzip.Path, p.task)
	if err != nil {
		return zstd, fmt.Errorf("packing %s: %w", zstd.Path, err)
	}
	for n, a := range made.Archives() {
		if err := p.st.Record(recordKind, keys[n], packed{a.Size, a.SHA256}); err != nil {
			return *made, err
		}
	}
	return *made, nil
}
