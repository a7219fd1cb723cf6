//go:build unix

package keyfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckOwner returns an error for a regular file that others than its owner and root may write or
// exchange, by the modes of the file and of the directories above it. Access control lists are not
// read.
func CheckOwner(path string) error {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil //nolint:nilerr // who reads it says what is wrong
	}
	for _, place := range places(path) {
		if err := checkPlace(path, place); err != nil {
			return err
		}
	}
	return nil
}

// checkPlace checks a file, or a link to one, and the directories above it.
func checkPlace(path, place string) error {
	child, err := os.Lstat(place)
	if err != nil {
		return err
	}
	if who := writers(child.Mode(), owner(child)); who != "" && child.Mode().IsRegular() {
		return fmt.Errorf("%s may be written by %s, so it proves nothing: "+
			"get it again from where it came from, and run chmod go-w on it", path, who)
	}
	for at := filepath.Dir(place); ; at = filepath.Dir(at) {
		fi, err := os.Lstat(at)
		if err != nil {
			return err
		}
		who := writers(fi.Mode(), owner(fi))
		sticky := fi.Mode()&fs.ModeSticky != 0
		if by := owner(child).uid; who != "" && (!sticky || by != 0 && by != uint32(os.Geteuid())) {
			return fmt.Errorf("%s is below %s, where %s may exchange it, so it proves nothing: "+
				"keep it elsewhere, such as in /etc/slipway/keys", path, at, who)
		}
		if at == filepath.Dir(at) {
			return nil
		}
		child = fi
	}
}

// ids are the owner and the group of a file.
type ids struct{ uid, gid uint32 }

func owner(fi fs.FileInfo) ids {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return ids{st.Uid, st.Gid}
	}
	return ids{}
}

// writers names who may write by a mode, besides the owner and root. A group with the number of the
// owner is the owner's own: many systems give each user one, and let it write.
func writers(mode fs.FileMode, of ids) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "" // its directory decides
	case mode.Perm()&0o002 != 0:
		return "everybody"
	case mode.Perm()&0o020 != 0 && of.gid != 0 && of.gid != of.uid:
		return fmt.Sprintf("the group %d", of.gid)
	}
	return ""
}

// sameDevice reports whether two files are on one file system.
func sameDevice(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, also := b.Sys().(*syscall.Stat_t)
	return !ok || !also || x.Dev == y.Dev
}

// isRoot reports whether a directory is the root of the file system.
func isRoot(dir string) bool { return dir == filepath.Dir(dir) }
