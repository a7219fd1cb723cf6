package tree

import (
	"path"
	"strings"
)

// Mount is a directory or file that a RUN sees in another place.
type Mount struct {
	Target string // in the tree
	Files  Files
	Source string
}

// Mounted returns the mount that a path is in, and the path in its files.
func (t *Tree) Mounted(p string) (m Mount, rest string, ok bool) {
	for _, m := range t.Mounts {
		if below, ok := strings.CutPrefix(p, m.Target); ok && (below == "" || below[0] == '/' || m.Target == "/") {
			return m, path.Join(m.Source, below), true
		}
	}
	return Mount{}, "", false
}
