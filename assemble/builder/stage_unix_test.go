//go:build unix

package builder_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/assemble/builder"
)

// TestStage: a staged context has what a Dockerfile can copy, and nothing else.
func TestStage(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".dockerignore": "*.log\nsub/*\n!sub/kept\n", "a": "A", "b.log": "", "sub/kept": "", "sub/gone": "",
		".git/HEAD": "", "dist/x": "", "deep/.git/x": "",
	} {
		write(t, filepath.Join(dir, name), text, 0o640)
	}
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	must(t, os.Chmod(filepath.Join(dir, "deep"), 0o550))
	t.Cleanup(func() {
		for _, top := range []string{dir, into} { // for a user who is not root
			must(t, os.Chmod(filepath.Join(top, "deep"), 0o755))
		}
	})
	mode := func(path string, fi fs.FileInfo) (fs.FileMode, error) {
		if filepath.Base(path) == "a" {
			return 0o755, nil
		}
		return fi.Mode(), nil
	}
	must(t, builder.Stage(t.Context(), dir, []string{"dist"}, nil, mode, into))
	var got []string
	must(t, filepath.WalkDir(into, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == into {
			return err
		}
		fi, err := d.Info()
		got = append(got, fmt.Sprint(strings.TrimPrefix(path, into+"/"), " ", fi.Mode()))
		return err
	}))
	want := ".dockerignore -rw-r-----\na -rwxr-xr-x\ndeep dr-xr-x---\nlink Lrwxrwxrwx\nsub drwxr-xr-x\nsub/kept -rw-r-----"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("it has\n%s\nwant\n%s", s, want)
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	err := builder.Stage(t.Context(), dir, nil, nil, nil, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "pipe is a named pipe, which no image can have") {
		t.Errorf("the error is %v", err)
	}
}

// TestStagedDockerfile: a builder applies no ignore file to a staged context again.
func TestStagedDockerfile(t *testing.T) {
	standIn(t, builder.Docker, `f=$(printf '%s\n' "$@" | sed -n 's/^--file=//p'); cat "$f" "$f.dockerignore"; exit 1`)
	r := request(t)
	r.Staged = true
	err := find(t, builder.Docker).Build(t.Context(), r, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "\n  RUN make all\n  # the context is a copy") ||
		!strings.HasPrefix(err.Error(), "builder docker: building agent.Dockerfile for linux/amd64: ") {
		t.Errorf("the error is %v", err)
	}
}
