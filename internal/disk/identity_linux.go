package disk

import (
	"io/fs"
	"syscall"
	"time"
)

// Identity distinguishes a file from another one of the same name, size and modification time. No
// program can set the change time.
func Identity(fi fs.FileInfo) (inode uint64, changed time.Time) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}
	}
	return st.Ino, time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)) //nolint:unconvert // 32 bits on some systems
}
