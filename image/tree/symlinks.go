package tree

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// maxLinks bounds how many symbolic links one path may lead through, as Linux does.
const maxLinks = 255

// loop is the error of a path that leads through too many symbolic links.
type loop string

func (l loop) Error() string {
	return fmt.Sprintf("%s leads through more than %d symbolic links", string(l), maxLinks)
}

// Loops reports whether err, of [Follow] or [Resolve], means that the path leads nowhere, since it
// leads through too many symbolic links. Any other means that the tree could not be read.
func Loops(err error) bool { return errors.As(err, new(loop)) }

// Follow returns the path that p leads to when its symbolic links are followed. No link leads
// out: an absolute one starts at the root of the tree, and ".." ends there. What does not exist
// stays as it is written.
func Follow(f Files, p string) (string, error) {
	return FollowWithin(f, "/", p)
}

// Resolve follows p and returns where it leads, and the file there: nil for nothing.
func Resolve(f Files, p string) (string, *Node, error) {
	at, err := Follow(f, p)
	if err != nil {
		return "", nil, err
	}
	n, err := f.Lstat(at)
	return at, n, err
}

// FollowWithin is follow with root in the place of the tree's root.
func FollowWithin(f Files, root, p string) (string, error) {
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
		n, err := f.Lstat(next)
		if err != nil {
			return "", err
		}
		if n == nil || n.Kind != layer.Symlink {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", loop(p)
		}
		if path.IsAbs(n.Link) {
			at = root
		}
		todo = append(strings.Split(n.Link, "/"), todo...)
	}
	return at, nil
}

// Slashed is a path of Windows in the form that trees have: with slashes and without the drive
// C:.
func Slashed(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if len(p) > 1 && p[1] == ':' && (p[0] == 'c' || p[0] == 'C') {
		p = p[2:]
	}
	return p
}

// Within reports whether p is dir or below it.
func Within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
