package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack lets the system begin to write n bytes at an offset of a file to disk, and does not
// wait for that. What goes wrong is reported by the sync that follows.
func writeBack(f *os.File, offset, n int64) {
	unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE) //nolint:errcheck // as above
}
