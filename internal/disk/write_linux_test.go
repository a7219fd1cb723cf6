package disk

import (
	"io/fs"
	"os"
	"path/filepath"
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
