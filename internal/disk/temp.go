package disk

import (
	"os"
	"path/filepath"
	"regexp"
)

// temporary is the form of temporary names, for files and directories.
const temporary = ".slipway-*.tmp"

var isTemporary = regexp.MustCompile(`^\.slipway-[0-9]+\.tmp$`)

// Temp makes a directory with a temporary name in a directory, for files that are renamed together.
func Temp(dir string) (string, error) {
	path, err := os.MkdirTemp(dir, temporary)
	if err != nil {
		return "", err
	}
	return path, os.Chmod(path, modeDir)
}

// Sweep removes what has a temporary name in a directory. The caller holds the lock of it, or of
// one whose lock stands for both. What cannot be removed stays for the next time: it is in nobody's
// way.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if isTemporary.MatchString(e.Name()) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func (d *Dir) sweep() { Sweep(d.path) }
