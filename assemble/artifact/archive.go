package artifact

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// writeTar writes a tar.gz.
func writeTar(
	ctx context.Context, st *store.Store, entries []layer.Entry, at time.Time, series string,
) (written, error) {
	l, err := layer.Write(ctx, st, entries, layer.Options{
		OS: platform.Linux, Compression: layer.Gzip, ModTime: at, Series: series,
	})
	return written{l.Digest, l.Size, l.Seconds}, err
}

// zipFormat changes whenever equal entries would give other bytes than before.
const zipFormat = 2

// written is an archive, and what the store remembers of a zip.
type written struct {
	Digest  v1.Hash `json:"digest"`
	Size    int64   `json:"size"`
	Seconds float64 `json:"seconds,omitempty"` // of a processor, to write it
}

// zipEpoch is the first time that a zip can store: an earlier one would wrap to a time far in the
// future.
var zipEpoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeZip writes a zip, unless the same entries made one before.
func writeZip(
	ctx context.Context, st *store.Store, entries []layer.Entry, at time.Time, series string,
) (written, error) {
	if at.Before(zipEpoch) {
		at = zipEpoch
	}
	var key strings.Builder
	fmt.Fprintln(&key, zipFormat, deflate.Format, at.Unix())
	for _, e := range entries {
		fmt.Fprintf(&key, "%q %s %s\n", e.Path, e.Mode, e.Content.Digest)
	}
	whole := func(w written) bool { return st.HasAll(w.Digest, w.Size) }
	return store.Remember(st, "zip", key.String(), whole, func() (written, error) {
		return makeZip(ctx, st, entries, at, series)
	})
}

func makeZip(
	ctx context.Context, st *store.Store, entries []layer.Entry, at time.Time, series string,
) (w written, err error) {
	stop := layer.Measure()
	defer func() { w.Seconds += stop() }()
	blob, err := st.Create()
	if err != nil {
		return w, err
	}
	defer blob.Abort()
	known := deflate.Open(st, series)
	defer known.Close()
	buffered := bufio.NewWriterSize(blob, 1<<20)
	z := zip.NewWriter(buffered)
	var members []*deflate.Writer
	// The standard library's compressor may give other bytes with the next Go; this one changes
	// with go.mod only.
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		d := deflate.NewWriter(w, known)
		members = append(members, d)
		return d, nil
	})
	for _, e := range entries {
		err := addToZip(ctx, z, e, at, func() error { // its bytes begin here
			err := errors.Join(z.Flush(), buffered.Flush())
			members[len(members)-1].At(blob.Size())
			return err
		})
		if err != nil {
			z.Close() //nolint:errcheck // ends its goroutines; the blob is dropped
			return w, fmt.Errorf("%s: %w", e.Path[1:], err)
		}
	}
	if err := errors.Join(z.Close(), buffered.Flush()); err != nil {
		return w, err
	}
	for _, m := range members {
		w.Seconds += m.Taken()
	}
	if w.Digest, w.Size, err = blob.Commit(); err != nil {
		return w, err
	}
	return w, known.Record(w.Digest, members...)
}

// addToZip adds a file, and calls begin between its header and its bytes.
func addToZip(ctx context.Context, z *zip.Writer, e layer.Entry, at time.Time, begin func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h := &zip.FileHeader{Name: e.Path[1:], Method: zip.Deflate, Modified: at.UTC()}
	h.SetMode(e.Mode)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	r, err := e.Content.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(w, r)
	if err == nil && n != e.Content.Size {
		err = fmt.Errorf("it has %d bytes, %d were announced: it changed while it was read", n, e.Content.Size)
	}
	return err
}
