package git_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/git"
)

// TestModes reads the modes of a work tree: with permissions that no clone has, through links, in
// a submodule, in a bare repository that another one tracks, and where git ignores the disk's bits.
func TestModes(t *testing.T) {
	other, dir := repository(t), repository(t)
	for _, name := range []string{"run", "sub/deep/file", "fixture/HEAD", "fixture/refs/x", "fixture/objects/x"} {
		write(t, dir, name)
	}
	chmod(t, dir, "run", 0o755)
	symlink(t, dir, "sub", "link")
	run(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "module")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	write(t, dir, "untracked", "new/file", "sub/untracked")

	disk := map[string]fs.FileMode{ // with what has the modes of a clone
		"run": 0o700, "main.go": 0o660, "sub/file": 0o604, "sub/deep/file": 0o654, "fixture/objects/x": 0o600,
		"module/main.go": 0o600,
		"sub":            0o700, "sub/deep": 0o775, "module": 0o2770, "fixture": 0o700, ".": 0o750,
		"untracked": 0o640, "new": 0o750, "new/file": 0o700, "sub/untracked": 0o600,
	}
	for name, mode := range disk {
		chmod(t, dir, name, mode)
	}
	want := map[string]fs.FileMode{
		"run": 0o755, "main.go": 0o644, "sub/file": 0o644, "sub/deep/file": 0o644, "fixture/objects/x": 0o644,
		"module/main.go": 0o644,
		"sub":            0o755, "sub/deep": 0o755, "module": 0o755, "fixture": 0o755, ".": 0o755, "link/file": 0o644,
		"untracked": 0o640, "new": 0o750, "new/file": 0o700, "sub/untracked": 0o600,
	}
	checkModes(t, dir, want)
	checkModes(t, filepath.Join(dir, "link"), map[string]fs.FileMode{"file": 0o644, "untracked": 0o600})
	if fi, err := os.Lstat(filepath.Join(dir, "link")); err != nil || modeOf(t, dir, "link") != fi.Mode() {
		t.Errorf("the link has another mode, %v", err)
	}

	chmod(t, dir, "run", 0o664)
	chmod(t, dir, "main.go", 0o777)
	checkModes(t, dir, map[string]fs.FileMode{"run": 0o644, "main.go": 0o755})
	run(t, dir, "config", "core.fileMode", "No")
	checkModes(t, dir, map[string]fs.FileMode{"run": 0o755, "main.go": 0o644, "untracked": 0o640})

	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	checkModes(t, dir, map[string]fs.FileMode{"sub/file": 0o604, "main.go": 0o644})
	t.Setenv("GIT_CEILING_DIRECTORIES", "")
	t.Setenv("PATH", t.TempDir())
	checkModes(t, dir, map[string]fs.FileMode{"run": 0o664, "sub": 0o700})
}

// TestModesOnce counts how often git lists the files of a repository.
func TestModesOnce(t *testing.T) {
	dir := repository(t)
	actual, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>" + bin + "/log\nexec " + actual + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var m git.Modes
	for _, name := range []string{"main.go", "sub/file", "sub", "."} {
		at := filepath.Join(dir, name)
		fi, err := os.Lstat(at)
		if err == nil {
			_, err = m.Of(t.Context(), at, fi)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(filepath.Join(bin, "log"))
	if n := countLines(string(log), "ls-files"); err != nil || n != 1 {
		t.Errorf("git listed files %d times, %v:\n%s", n, err, log)
	}
}

// TestModesOfDamage reads modes next to a .git that is not a repository, and in a repository that
// git cannot read.
func TestModesOfDamage(t *testing.T) {
	dir := repository(t)
	chmod(t, dir, "main.go", 0o600)
	write(t, dir, "none/.git", "none/file", "bad/.git/HEAD", "bad/.git/objects/x", "bad/.git/refs/x", "bad/file")
	checkModes(t, dir, map[string]fs.FileMode{"main.go": 0o644, "none/file": 0o644})
	at := filepath.Join(dir, "bad", "file")
	fi, err := os.Lstat(at)
	if err != nil {
		t.Fatal(err)
	}
	var m git.Modes
	if mode, err := m.Of(t.Context(), at, fi); err == nil ||
		!strings.Contains(err.Error(), filepath.Dir(at)+" tracks: git: ") {
		t.Errorf("the mode is %v, the error %v", mode, err)
	}
}

func checkModes(t *testing.T, dir string, want map[string]fs.FileMode) {
	t.Helper()
	for name, mode := range want {
		if got := modeOf(t, dir, name); got&^fs.ModeDir != mode {
			t.Errorf("%s has mode %v, want %v", name, got, mode)
		}
	}
}

// modeOf returns the mode of a file, by the index as it is now.
func modeOf(t *testing.T, dir, name string) fs.FileMode {
	t.Helper()
	var m git.Modes
	at := filepath.Join(dir, name)
	fi, err := os.Lstat(at)
	if err != nil {
		t.Fatal(err)
	}
	mode, err := m.Of(t.Context(), at, fi)
	if err != nil {
		t.Fatal(err)
	}
	return mode
}

func chmod(t *testing.T, dir, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, dir, to, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func countLines(text, with string) (n int) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, with) {
			n++
		}
	}
	return n
}
