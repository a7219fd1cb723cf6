package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"testing"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/image/layer"
)

// FuzzWalk checks that the names of files stay within the archive, and that reading ends.
func FuzzWalk(f *testing.F) {
	var plain, packed, zipped bytes.Buffer
	t := tar.NewWriter(&plain)
	z := zip.NewWriter(&zipped)
	for _, name := range []string{"./a", "../b", "/c"} {
		t.WriteHeader(&tar.Header{Name: name, Size: 1, Mode: 0o755}) //nolint:errcheck // into memory
		t.Write([]byte("x"))                                         //nolint:errcheck // as above
		w, _ := z.Create(name)
		w.Write([]byte("x")) //nolint:errcheck // as above
	}
	t.Close() //nolint:errcheck // as above
	z.Close() //nolint:errcheck // as above
	g := gzip.NewWriter(&packed)
	g.Write(plain.Bytes()) //nolint:errcheck // as above
	g.Close()              //nolint:errcheck // as above
	for _, b := range []*bytes.Buffer{&plain, &packed, &zipped} {
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := archive.Walk(t.Context(), content(b), func(f archive.File, r io.Reader) error {
			if f.Name != "" && !fs.ValidPath(f.Name) {
				t.Errorf("a file %q", f.Name)
			}
			_, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			return err
		})
		if err != nil && len(err.Error()) == 0 {
			t.Error("an error without a text")
		}
	})
}

// content returns bytes that are also read from any place.
func content(b []byte) layer.Content {
	c := layer.Bytes(b)
	c.Open = func() (io.ReadCloser, error) {
		return struct {
			*bytes.Reader
			io.Closer
		}{bytes.NewReader(b), io.NopCloser(nil)}, nil
	}
	return c
}
