package bundle

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/gzipped"
)

const noSeek = "gzip is read from its start for every blob: the .tar.zst is faster"

// readTable reads the seek table. A gzip file has none.
func (b *Bundle) readTable() error {
	if b.gzip {
		return nil
	}
	return b.archive.ReadTable()
}

// from reads the decompressed archive from off to its end.
func (b *Bundle) from(off int64) (io.ReadCloser, error) {
	if !b.gzip {
		return b.archive.From(off)
	}
	z, err := gzipped.NewReader(b.archive.Raw())
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, z, off); err != nil {
		return nil, err
	}
	return io.NopCloser(z), nil
}

// CheckSeekable returns an error for a gzip file. It is read from its start for every blob, which
// is too slow for whoever reads them all.
func (b *Bundle) CheckSeekable() error {
	if !b.gzip {
		return nil
	}
	name, ok := strings.CutSuffix(b.path, distfile.GzipSuffix)
	other := name + distfile.BundleSuffix
	if !ok {
		other = "the " + distfile.BundleSuffix
	}
	return fmt.Errorf("%s is compressed by gzip and would be read from its start for every blob: "+
		"use %s of the same release, which is the same archive", b.path, other)
}
