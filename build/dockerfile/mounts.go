package dockerfile

import (
	"path"
	"strings"
)

// mount is a directory or file that a RUN sees in another place.
type mount struct {
	target string // in the tree
	files  files
	source string
}

// mounted returns the mount that a path is in, and the path in its files.
func (t *tree) mounted(p string) (m mount, rest string, ok bool) {
	for _, m := range t.mounts {
		if below, ok := strings.CutPrefix(p, m.target); ok && (below == "" || below[0] == '/' || m.target == "/") {
			return m, path.Join(m.source, below), true
		}
	}
	return mount{}, "", false
}
