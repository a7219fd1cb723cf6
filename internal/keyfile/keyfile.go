// Package keyfile judges by its place whether a file with a public key can prove anything. A key
// that came with a release proves nothing, because whoever exchanged the one could exchange the
// other; nor does one that others on this machine may write.
package keyfile

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

const elsewhere = "whoever changed the one could change the other: " +
	"get the key in another way, and keep it elsewhere, " +
	"such as in /etc/slipway/keys"

// sums is a file that only the directory of a release has.
const sums = "SHA256SUMS"

// Check returns an error for a key that came with one of the files or directories that it is to
// prove, or that another user may change. A pipe, as a shell makes it for -key=<(…), has no
// place.
func Check(key string, proven ...string) error {
	for _, file := range proven {
		for _, k := range places(key) {
			for _, f := range places(file) {
				switch {
				case within(k, f):
					return fmt.Errorf("%s is next to %s, which it is to prove: %s", key, file, elsewhere)
				case above(k, f):
					return fmt.Errorf("%s is in a directory above %s, which it is to prove: %s", key, file, elsewhere)
				}
			}
		}
	}
	return CheckOwner(key)
}

// places returns the absolute paths of a file: where it is, and where a link to it is, if the path
// is one. Links among the directories are resolved.
func places(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return []string{path}
	}
	at := abs
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		at = filepath.Join(dir, filepath.Base(abs))
	}
	if to, err := filepath.EvalSymlinks(at); err == nil && to != at {
		return []string{at, to}
	}
	return []string{at}
}

// within reports whether a key is in the directory of a file or, if that is the directory of a
// release, anywhere below it.
func within(key, file string) bool {
	dir, unit := directory(file)
	return disk.Within(dir, key) && (unit || filepath.Dir(key) == dir)
}

// directory returns the directory of a file, and whether all of it is one release.
func directory(file string) (dir string, unit bool) {
	if fi, err := os.Stat(file); err == nil && fi.IsDir() {
		return file, true
	}
	dir = filepath.Dir(file)
	_, err := os.Stat(filepath.Join(dir, sums))
	return dir, err == nil
}

// above reports whether a key is in a directory above that of a file, as on a medium or in an
// archive that has both. The search upward ends at the root of the system, at another medium, and
// at the user's home: a key there counts as the user's, unless a release is in it directly.
func above(key, file string) bool {
	dir, unit := directory(file)
	from, err := os.Stat(dir)
	if err != nil {
		return false
	}
	keys, err := os.Stat(filepath.Dir(key))
	if err != nil {
		return false
	}
	var home os.FileInfo
	if h, err := os.UserHomeDir(); err == nil {
		home, _ = os.Stat(h) // then there is none
	}
	for at := filepath.Dir(dir); dir != at && !isRoot(at); at = filepath.Dir(at) {
		fi, err := os.Stat(at)
		switch {
		case err != nil || !sameDevice(fi, from):
			return false
		case home != nil && os.SameFile(fi, home):
			return unit && at == filepath.Dir(dir) && os.SameFile(fi, keys)
		case os.SameFile(fi, keys):
			return true
		case at == filepath.Dir(at):
			return false
		}
	}
	return false
}
