package dockerfile

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// maxLinks bounds how many symbolic links one path may lead through, as Linux does.
const maxLinks = 255

// follow returns the path that p leads to when its symbolic links are followed. No link leads
// out: an absolute one starts at the root of the tree, and ".." ends there. What does not exist
// stays as it is written.
func follow(f files, p string) (string, error) {
	return followWithin(f, "/", p)
}

// resolve follows p and returns where it leads, and what is there: nil for nothing.
func resolve(f files, p string) (string, *node, error) {
	at, err := follow(f, p)
	if err != nil {
		return "", nil, err
	}
	n, err := f.lstat(at)
	return at, n, err
}

// followWithin is follow with root in the place of the tree's root.
func followWithin(f files, root, p string) (string, error) {
	at, links := root, 0
	for todo := strings.Split(p, "/"); len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if at != root {
				at = path.Dir(at)
			}
			continue
		}
		next := path.Join(at, part)
		n, err := f.lstat(next)
		if err != nil {
			return "", err
		}
		if n == nil || n.kind != layer.Symlink {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s leads through more than %d symbolic links", p, maxLinks)
		}
		if path.IsAbs(n.link) {
			at = root
		}
		todo = append(strings.Split(n.link, "/"), todo...)
	}
	return at, nil
}

// slashed is a path of Windows in the form that trees have: with slashes and without the drive
// C:.
func slashed(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if len(p) > 1 && p[1] == ':' && (p[0] == 'c' || p[0] == 'C') {
		p = p[2:]
	}
	return p
}
