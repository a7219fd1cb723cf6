package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestModes: files and directories have the same modes whatever the umask is.
func TestModes(t *testing.T) {
	for _, umask := range []int{0o077, 0o022, 0o002, 0o027} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			if err := MkdirAll(dir); err != nil {
				t.Fatal(err)
			}
			tmp, err := Temp(dir)
			if err != nil {
				t.Fatal(err)
			}
			for name, mode := range map[string]fs.FileMode{"file": ModeFile, "program": ModeProgram} {
				if err := Write(filepath.Join(tmp, name), []byte("x"), mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Rename(tmp, filepath.Join(dir, "c")); err != nil {
				t.Fatal(err)
			}
		}()
		for name, want := range map[string]fs.FileMode{
			"..": modeDir, "": modeDir, "c": modeDir,
			"c/file": ModeFile, "c/program": ModeProgram,
		} {
			if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || fi.Mode().Perm() != want {
				t.Errorf("umask %03o: %q has mode %v %v, want %v", umask, name, fi.Mode(), err, want)
			}
		}
	}
}

// TestCommitKeepsPipes: a file never takes the place of a pipe or a device.
func TestCommitKeepsPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Write(pipe, []byte("x"), ModeFile)
	if err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Errorf("writing to a pipe: %v", err)
	}
	if fi, err := os.Lstat(pipe); err != nil || fi.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v %v", fi, err)
	}
	if left, err := os.ReadDir(filepath.Dir(pipe)); err != nil || len(left) != 1 {
		t.Errorf("left over: %v %v", left, err)
	}
}
