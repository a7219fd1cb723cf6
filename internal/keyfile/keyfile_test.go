package keyfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/keyfile"
)

// tree makes files below a directory whose name ends in a slash or not, and returns that.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestPlace: a key proves nothing that it came with.
func TestPlace(t *testing.T) {
	root := tree(t, "home/release.pub", "home/keys/release.pub", "home/dist/SHA256SUMS", "home/dist/sub/release.pub",
		"home/dist/release.pub", "home/dist/a.tar.zst",
		"home/work/one/dist/SHA256SUMS", "home/work/one/dist/a.tar.zst", "home/work/release.pub",
		"home/work/one/keys/release.pub", "home/downloads/a.tar.zst", "home/downloads/sub/release.pub",
		"usb/release.pub", "usb/kpack/1.0/dist/SHA256SUMS", "usb/kpack/1.0/a.tar.zst", "etc/slipway/keys/release.pub")
	t.Setenv("HOME", filepath.Join(root, "home"))
	for link, to := range map[string]string{
		"home/dist/link.pub":        "etc/slipway/keys/release.pub",
		"etc/slipway/keys/link.pub": "home/dist/release.pub", "linked": "home/dist",
		"etc/link.zst": "usb/kpack/1.0/a.tar.zst",
	} {
		if err := os.Symlink(filepath.Join(root, to), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ key, file, says string }{
		{"etc/slipway/keys/release.pub", "home/dist", ""},
		{"etc/slipway/keys/release.pub", "home/dist/a.tar.zst", ""},
		{"home/keys/release.pub", "home/dist", ""},
		{"home/keys/release.pub", "home/work/one/dist", ""},
		{"home/release.pub", "home/work/one/dist", ""},
		{"home/release.pub", "home/downloads/a.tar.zst", ""},
		{"home/downloads/sub/release.pub", "home/downloads/a.tar.zst", ""},
		{"home/work/one/keys/release.pub", "home/work/one/dist", ""},
		{"home/dist/nothing.pub", "etc/nothing", ""},

		{"home/dist/release.pub", "home/dist", "is next to"},
		{"home/dist/release.pub", "home/dist/a.tar.zst", "is next to"},
		{"home/dist/sub/release.pub", "home/dist/a.tar.zst", "is next to"},
		{"home/dist/release.pub", "linked", "is next to"},
		{"linked/release.pub", "home/dist", "is next to"},
		{"home/dist/link.pub", "home/dist", "is next to"},
		{"etc/slipway/keys/link.pub", "home/dist", "is next to"},
		{"home/dist/nothing.pub", "home/dist", "is next to"},
		{"home/release.pub", "home/dist", "is in a directory above"},
		{"home/release.pub", "home/dist/a.tar.zst", "is in a directory above"},
		{"home/work/release.pub", "home/work/one/dist", "is in a directory above"},
		{"home/work/release.pub", "home/work/one/dist/a.tar.zst", "is in a directory above"},
		{"usb/release.pub", "usb/kpack/1.0/dist", "is in a directory above"},
		{"usb/release.pub", "usb/kpack/1.0/a.tar.zst", "is in a directory above"},
		{"usb/release.pub", "etc/link.zst", "is in a directory above"},
	} {
		err := keyfile.Check(filepath.Join(root, tc.key), filepath.Join(root, "etc/slipway/nothing"),
			filepath.Join(root, tc.file))
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s for %s: %v", tc.key, tc.file, err)
		}
	}
}
