package bundletest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/bundle/seekable"
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

// Forge compresses entries as a bundle.
func Forge(t *testing.T, list []Forged) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		e.Size, e.Mode = int64(len(e.Data)), 0o644
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(list) == 0 {
		return Compress(t, nil)
	}
	return Compress(t, b.Bytes())
}

// Compress compresses in frames of 8 MiB, as a bundle is.
func Compress(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	out := z.EncodeAll(nil, []byte{})
	if len(b) == 0 {
		return append(out, "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"...) // an empty frame
	}
	for len(b) > 0 {
		n := min(len(b), seekable.CompressedFrame)
		out, b = z.EncodeAll(b[:n], out), b[n:]
	}
	return out
}

// Zeros reads zeros without end.
type Zeros struct{}
