package bundletest

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// Entry is a file in a bundle.
type Entry struct {
	Name   string
	Data   []byte
	Offset int64 // of the data in the decompressed archive
}

// Entries reads a whole bundle with the standard library's tar and checks what holds for every
// entry.
func Entries(t *testing.T, path string) []Entry {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all []Entry
	var at int64
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || h.Mode != 0o644 || h.Uid+h.Gid != 0 || h.Uname+h.Gname != "" ||
			!h.ModTime.Equal(storetest.Created) {
			t.Errorf("%s: %+v", path, h)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Entry{h.Name, data, at + 512})
		at += 512 + (h.Size+511)/512*512
	}
}
