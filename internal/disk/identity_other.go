//go:build !linux

package disk

import (
	"io/fs"
	"time"
)

// Identity distinguishes nothing: slipway builds on Linux.
func Identity(fs.FileInfo) (inode uint64, changed time.Time) { return 0, time.Time{} }
