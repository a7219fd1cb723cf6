package airgap_test

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestReuseTwins: both forms of a bundle are kept only if both have the bytes that were packed;
// else both are written again, with the same bytes.
func TestReuseTwins(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	dir := t.TempDir()
	all := bundletest.Targets(t)[5]
	first := bundletest.PackTwins(t, st, l, dir, all)[0]
	flip := func(path string) {
		data := read(t, path)
		data[len(data)/2] ^= 1
		put(t, path, string(data))
	}
	for _, c := range []struct {
		name   string
		change func()
		reused bool
	}{
		{"unchanged", func() {}, true},
		{".tar.gz gone", func() { gone(t, first.Gzip.Path) }, false},
		{".tar.gz damaged", func() { flip(first.Gzip.Path) }, false},
		{".tar.zst damaged", func() { flip(first.Path) }, false},
		{"the zst alone in between", func() { bundletest.Pack(t, st, l, dir, all) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.change()
			f := bundletest.PackTwins(t, st, l, dir, all)[0]
			if f.Reused != c.reused || f.SHA256 != first.SHA256 || *f.Gzip != *first.Gzip {
				t.Errorf("%+v, gzip %+v, want %+v", f, f.Gzip, first.Gzip)
			}
			for _, a := range f.Archives() {
				if data := read(t, a.Path); int64(len(data)) != a.Size || bundletest.Sum(data) != a.SHA256 {
					t.Errorf("%s is not what was reported", a.Path)
				}
			}
			if all, err := os.ReadDir(dir); err != nil || len(all) != 3 {
				t.Errorf("%v in the directory: %v", all, err)
			}
		})
	}
}
