//go:build !unix

package keyfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CheckOwner accepts every file: this system has no modes that state who may write.
func CheckOwner(string) error { return nil }

// sameDevice reports true: the file system of a file is not known.
func sameDevice(_, _ fs.FileInfo) bool { return true }

// isRoot reports whether a directory is the root of the system's drive. That of another drive is a
// directory as any other: it may be a medium with a release.
func isRoot(dir string) bool {
	return dir == filepath.Dir(dir) && strings.EqualFold(filepath.VolumeName(dir), os.Getenv("SystemDrive"))
}
