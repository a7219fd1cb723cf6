package bundletest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// Forged is an entry of a tar that a test makes up.
type Forged struct {
	tar.Header
	Data []byte
}

// Blob is an entry for a blob with its digest.
func Blob(b []byte) Forged {
	return Forged{tar.Header{Name: "blobs/sha256/" + Sum(b), Typeflag: tar.TypeReg}, b}
}

// Headers returns the entries of a bundle, to be changed.
func Headers(t *testing.T, path string) []Forged {
	t.Helper()
	var all []Forged
	for _, e := range Entries(t, path) {
		all = append(all, Forged{tar.Header{Name: e.Name, Typeflag: tar.TypeReg}, e.Data})
	}
	return all
}

// Clone copies entries.
func Clone(list []Forged) []Forged {
	list = slices.Clone(list)
	for i := range list {
		list[i].Data = bytes.Clone(list[i].Data)
	}
	return list
}

// Put writes an entry in the form of slipway, but for what its header has already.
func Put(t testing.TB, w *tar.Writer, e Forged) {
	t.Helper()
	e.Size, e.Mode, e.Format = int64(len(e.Data)), 0o644, tar.FormatUSTAR
	if e.ModTime.IsZero() {
		e.ModTime = storetest.Created
	}
	if err := w.WriteHeader(&e.Header); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(e.Data); err != nil {
		t.Fatal(err)
	}
}

// Forge compresses entries as a bundle.
func Forge(t *testing.T, list []Forged) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		Put(t, w, e)
	}
	if err := w.Close(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(list) == 0 {
		return Compress(t, nil)
	}
	return Compress(t, b.Bytes())
}

// Compress compresses as zstd does: one frame, which may be empty.
func Compress(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(seekable.CompressedFrame), zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(b, nil)
}

// Zeros reads zeros without end.
type Zeros struct{}
