package disk

import (
	"fmt"
	"io/fs"
)

// Stamp returns a text that differs when a file was written or replaced, also by the same bytes.
func Stamp(fi fs.FileInfo) string {
	inode, changed := Identity(fi)
	if fi.IsDir() {
		return fi.Mode().String() // its contents have stamps of their own
	}
	return fmt.Sprintf("%s %d %d %d %d", fi.Mode(), fi.Size(), fi.ModTime().UnixNano(), changed.UnixNano(), inode)
}
