package assemble_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestModuleModes builds an image of a module that the go command unpacks with other umasks.
func TestModuleModes(t *testing.T) {
	const gomod = "module example.com/m\n\ngo 1.24\n"
	m := module.Version{Path: "example.com/m", Version: "v1.0.0"}
	src, proxy := t.TempDir(), t.TempDir()
	write(t, src, map[string]string{"go.mod": gomod, "Dockerfile": "FROM scratch\nCOPY . /\n", "dir/a": "a"})
	var text bytes.Buffer
	must(t, zip.CreateFromDir(&text, m, src))
	at := filepath.Join(proxy, "example.com", "m", "@v")
	write(t, at, map[string]string{
		"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": gomod,
		"v1.0.0.zip": text.String(),
	})
	sum, err := dirhash.HashZip(filepath.Join(at, "v1.0.0.zip"), dirhash.Hash1)
	must(t, err)
	goModSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(gomod)), nil
	})
	must(t, err)
	t.Setenv("GOPROXY", "file://"+proxy)

	var first v1.Hash
	for _, tc := range []struct {
		umask int
		flags string
	}{{0o022, "-modcacherw"}, {0o077, "-modcacherw"}, {0o002, "-modcacherw"}, {0o022, ""}} {
		t.Run(fmt.Sprintf("%03o %s", tc.umask, tc.flags), func(t *testing.T) {
			dir := t.TempDir()
			cache := filepath.Join(dir, "cache")
			t.Setenv("GOMODCACHE", cache)
			t.Setenv("GOFLAGS", tc.flags)
			t.Cleanup(func() { writable(t, cache) })
			write(t, filepath.Join(dir, "app"), map[string]string{"slipway.yaml": fmt.Sprintf(`apiVersion: slipway/v1
name: m
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: m, module: example.com/m@v1.0.0, sum: "%s", goModSum: "%s", revision: abc, created: 2025-01-01T00:00:00Z}]
images:
  - {name: m, source: m, dockerfile: {source: m, file: Dockerfile, context: .}}
`, sum, goModSum)})
			old := syscall.Umask(tc.umask)
			defer syscall.Umask(old)
			st := storetest.Open(t)
			r := result(t, loadApp(t, dir), st)
			if first == (v1.Hash{}) {
				first = r.Images[0].Digest
			}
			got := tarModes(t, st, r)
			if want := []string{"644 Dockerfile", "755 dir/", "644 dir/a", "644 go.mod"}; r.Images[0].Digest != first ||
				!slices.Equal(got, want) {
				t.Errorf("image %s has %q; the first is %s, want %q", r.Images[0].Digest, got, first, want)
			}
		})
	}
}

// writable makes a module cache one that can be removed.
func writable(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	}))
}
