// Package disk writes files and directories so that they appear complete or not at all, and so
// that a killed process leaves nothing behind for ever.
//
// A file is written under a temporary name in its directory and renamed when it is complete.
// Every temporary name has the form .slipway-NUMBER.tmp, and belongs to the process that has
// locked the directory: [Lock] and [MakeLocked] keep other processes out, and remove files with
// such names, since the process that made them has ended. Callers of [Create], [Temp] and [Write]
// have the lock of that directory; [WriteAlone] and [Replace] take it themselves. A directory
// that many use and none locks for long, such as TMPDIR, gets directories of [Scratch].
//
// A process that locks a store and an output directory locks the store first. No directory is
// both. [Replace] locks directories of a product in the order of their names, never a store. No
// other process locks more than one directory at a time, so that no two wait for each other.
//
// Files have mode 0644, or 0755 if they are executable, and directories 0755, whatever the user's
// umask: the result is the same everywhere, and can be read by whoever serves or copies it.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Modes of files and directories.
const (
	ModeFile    fs.FileMode = 0o644
	ModePrivate fs.FileMode = 0o600
	ModeProgram fs.FileMode = 0o755
	modeDir     fs.FileMode = 0o755
)

// MkdirAll makes a directory and its parents, if they are missing, with mode 0755.
func MkdirAll(dir string) error {
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return nil
	}
	if above := filepath.Dir(dir); above != dir {
		if err := MkdirAll(above); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, modeDir)
	if errors.Is(err, fs.ErrExist) {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() { // another process was faster
			return nil
		}
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, modeDir)
}
