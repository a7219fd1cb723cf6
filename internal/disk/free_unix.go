//go:build !windows

package disk

import "golang.org/x/sys/unix"

// Free returns how many bytes this user may still write to the file system of a directory.
func Free(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil // Bsize has another type on each system
}
