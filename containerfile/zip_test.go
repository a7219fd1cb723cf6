package containerfile_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// zipped makes an archive like those of Windows: no modes, and backslashes in paths.
func zipped(t testing.TB, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		must(t, err)
		if !strings.HasSuffix(name, "/") {
			_, err = w.Write([]byte("content of " + name))
			must(t, err)
		}
	}
	must(t, z.Close())
	return b.Bytes()
}

func TestAddZip(t *testing.T) {
	for _, tc := range []struct{ name, add, want string }{
		{
			"asked for", "ADD --unpack=true calico.zip /tools/",
			`file 0755 0:0 /tools/CalicoWindows/cni/calico.exe "content of CalicoWindows\\cni\\calico.exe"`,
		},
		{
			"it stays within", "ADD --unpack=true calico.zip /tools/",
			`file 0755 0:0 /tools/outside "content of ../outside"`,
		},
		{"not asked for", "ADD calico.zip /tools/", "file 0644 0:0 /tools/calico.zip ("},
		{"refused", "ADD --unpack=false calico.zip /tools/", "file 0644 0:0 /tools/calico.zip ("},
		{"no archive", "ADD --unpack=true text /tools/", `file 0644 0:0 /tools/text "PK"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dockerfiletest.Load(t, &txtar.Archive{})
			must(t, os.WriteFile(filepath.Join(c.Input.Context, "calico.zip"),
				zipped(t, "CalicoWindows/", `CalicoWindows\cni\calico.exe`, "../outside"), 0o644))
			must(t, os.WriteFile(filepath.Join(c.Input.Context, "text"), []byte("PK"), 0o644))
			in := c.Input
			var err error
			in.Platform, err = platform.Parse("linux/amd64")
			must(t, err)
			in.Source = []byte("FROM scratch\n" + tc.add + "\n")
			r, err := build(t, in)
			must(t, err)
			if got := dump(t, r); !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant %s", got, tc.want)
			}
		})
	}
}
