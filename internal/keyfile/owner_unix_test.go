//go:build unix

package keyfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOwner: a key that others may write or exchange proves nothing.
func TestOwner(t *testing.T) {
	for _, tc := range []struct {
		what string
		file fs.FileMode
		dir  fs.FileMode
		says string
	}{
		{"one's own", 0o644, 0o755, ""},
		{"that may be run", 0o755, 0o755, ""},
		{"in a directory like /tmp", 0o644, 0o777 | fs.ModeSticky, ""},
		{"that everybody may write", 0o646, 0o755, "may be written by everybody"},
		{"that all may write", 0o666, 0o700, "may be written by everybody"},
		{"in a directory that everybody may write", 0o644, 0o777, "where everybody may exchange it"},
	} {
		top := filepath.Join(t.TempDir(), "top")
		dir := filepath.Join(top, "keys")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "release.pub")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "link.pub")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]fs.FileMode{path: tc.file, top: tc.dir} { // no umask counts
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []string{path, link} {
			if err := Check(p, t.TempDir()); tc.says == "" && err != nil ||
				tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("a key %s: %v", tc.what, err)
			}
		}
	}
}

// TestLinkExchanged: the place of a link counts as that of a key does.
func TestLinkExchanged(t *testing.T) {
	key := filepath.Join(t.TempDir(), "release.pub")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(key, filepath.Join(dir, "link.pub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Check(key); err != nil {
		t.Error(err)
	}
	if err := Check(filepath.Join(dir, "link.pub")); err == nil || !strings.Contains(err.Error(), "may exchange it") {
		t.Error(err)
	}
}

// TestPipe: a pipe has neither a place nor a mode that counts.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Check(path, t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := Check("/dev/stdin", t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestWriters(t *testing.T) {
	for _, tc := range []struct {
		mode fs.FileMode
		of   ids
		want string
	}{
		{0o644, ids{1000, 1000}, ""},
		{0o664, ids{1000, 1000}, ""}, // its own group
		{0o664, ids{1000, 0}, ""},
		{0o664, ids{0, 0}, ""},
		{0o664, ids{1000, 100}, "the group 100"},
		{0o775 | fs.ModeDir, ids{0, 27}, "the group 27"},
		{0o666, ids{1000, 1000}, "everybody"},
		{0o777 | fs.ModeSymlink, ids{1000, 100}, ""},
	} {
		if got := writers(tc.mode, tc.of); got != tc.want {
			t.Errorf("%v of %v: %q", tc.mode, tc.of, got)
		}
	}
}
