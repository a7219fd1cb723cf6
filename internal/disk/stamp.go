package disk

import (
	"fmt"
	"io/fs"
	"time"
)

// settled is how long ago a file must have been touched before its size and times identify its
// content: a second write within the clock's tick would otherwise go unseen.
const settled = 2 * time.Second

// Stamp returns what changes whenever somebody writes to a file: its size and modification time
// and, where the system tells them, change time and inode, since tools that make reproducible
// files set the modification time to a constant. It is final if what is known of the content may
// be remembered by the stamp; a file that was just written is not.
func Stamp(fi fs.FileInfo) (stamp string, final bool) {
	inode, changed := identity(fi)
	stamp = fmt.Sprintf("%d %d %d %d", fi.Size(), fi.ModTime().UnixNano(), changed.UnixNano(), inode)
	return stamp, time.Since(fi.ModTime()) >= settled && time.Since(changed) >= settled
}
