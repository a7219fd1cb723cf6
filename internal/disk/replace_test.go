package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/disk"
)

// tree writes files and returns a function that reads them again: "name=content mode" each.
func tree(t *testing.T, dir string) func(names ...string) string {
	t.Helper()
	for name, text := range map[string]string{"a": "old a", "below/b": "old b"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return func(names ...string) string {
		t.Helper()
		var all []string
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				all = append(all, name+" is missing")
				continue
			}
			fi, err := os.Lstat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, name+"="+string(b)+" "+fi.Mode().String())
		}
		left, err := filepath.Glob(filepath.Join(dir, "*", ".slipway*"))
		if more, _ := filepath.Glob(filepath.Join(dir, ".slipway*")); err != nil || len(left)+len(more) > 0 {
			t.Errorf("temporary files stay: %v %v, %v", left, more, err)
		}
		return strings.Join(all, ", ")
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	read := tree(t, dir)
	if err := os.Symlink("below/b", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	err := disk.Replace(t.Context(), []disk.Content{
		{filepath.Join(dir, "a"), []byte("new a")},
		{filepath.Join(dir, "link"), []byte("new b")},
		{filepath.Join(dir, "c"), []byte("new c")},
	}, nil)
	if got := read("a", "below/b", "link", "c"); err != nil ||
		got != "a=new a -rw-------, below/b=new b -rw-------, link=new b Lrwxrwxrwx, c=new c -rw-r--r--" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestReplaceNone cannot write or rename one of the files: the others are as before.
func TestReplaceNone(t *testing.T) {
	for what, bad := range map[string]string{
		"a directory that is not there":    "none/c",
		"a directory in place of the file": "below",
	} {
		dir := t.TempDir()
		read := tree(t, dir)
		for _, order := range [][]string{{"a", "new", bad}, {bad, "a", "new"}} {
			var list []disk.Content
			for _, name := range order {
				list = append(list, disk.Content{Path: filepath.Join(dir, name), Data: []byte("new")})
			}
			if err := disk.Replace(t.Context(), list, nil); err == nil ||
				!strings.Contains(err.Error(), filepath.Join(dir, strings.Split(bad, "/")[0])) {
				t.Errorf("%s: got %v", what, err)
			}
			if got := read("a",
				"below/b", "new"); got != "a=old a -rw-------, below/b=old b -rw-------, new is missing" {
				t.Errorf("%s: got %s", what, got)
			}
		}
	}
}

// TestReplaceRestores cannot rename the second file, since a directory takes its name while another
// process has the lock: the first has its content again, and one that was new is gone.
func TestReplaceRestores(t *testing.T) {
	dir := t.TempDir()
	read := tree(t, dir)
	lock, err := disk.Lock(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = disk.Replace(t.Context(), []disk.Content{
		{filepath.Join(dir, "new"), []byte("new")},
		{filepath.Join(dir, "below", "b"), []byte("new")},
		{filepath.Join(dir, "a"), []byte("new")},
	}, func(_ string, args ...any) {
		if len(args) != 1 || args[0] != dir {
			t.Errorf("waiting for %v", args)
		}
		if err := errors.Join(os.Remove(filepath.Join(dir, "a")),
			os.MkdirAll(filepath.Join(dir, "a", "full"), 0o755)); err != nil {
			t.Error(err)
		}
		lock.Unlock()
	})
	if got := read("new", "below/b"); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "a")) ||
		got != "new is missing, below/b=old b -rw-------" {
		t.Errorf("got %s, %v", got, err)
	}
}
