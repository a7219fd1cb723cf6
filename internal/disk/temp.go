package disk

import (
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// temporary is the form of temporary names, for files and directories.
const temporary = ".slipway-*.tmp"

var isTemporary = lazyregexp.New(`^\.slipway-[0-9]+\.tmp$`)

// Temp makes a directory with a temporary name, for files that are renamed together. The caller
// has the lock of dir; where no process has it, use [Scratch].
func Temp(dir string) (string, error) {
	path, err := os.MkdirTemp(dir, temporary)
	if err != nil {
		return "", err
	}
	return path, os.Chmod(path, modeDir)
}

// Scratch makes a directory for the calling process alone, which removes it. Its name is not
// temporary: dir, or the system's directory for such files if that is "", belongs to no process,
// and whoever locks it for another file must not sweep the work of other processes.
func Scratch(dir string) (string, error) { return os.MkdirTemp(dir, "slipway-*.tmp") }

// Temporary reports whether a name is that of a file which is being written, or was when its
// process was killed.
func Temporary(name string) bool { return isTemporary.MatchString(name) }

// Sweep removes everything with a temporary name from a directory. The caller has the lock of
// that directory, or of one whose lock is for both. What cannot be removed stays until the next
// time.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if Temporary(e.Name()) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func (d *Dir) sweep() { Sweep(d.path) }
