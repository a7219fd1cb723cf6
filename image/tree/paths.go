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

// Glob returns the paths that a source of COPY means. One without wildcards is returned as it is;
// one whose wildcards match nothing gives no path and no error, since others may match.
func Glob(f Files, src string) ([]string, error) {
	parts := strings.Split(strings.Trim(src, "/"), "/")
	first := 0
	for first < len(parts) && !Wild(parts[first]) {
		first++
	}
	if first == len(parts) {
		return []string{src}, nil
	}
	base, n, err := Resolve(f, "/"+strings.Join(parts[:first], "/"))
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, Missing(f, base)
	}
	if n.Kind != layer.Dir {
		return nil, nil
	}
	return expand(f, base, parts[first:])
}

// expand returns the paths below dir whose parts match the patterns one by one. Symbolic links to
// directories are not entered.
func expand(f Files, dir string, patterns []string) ([]string, error) {
	names, err := f.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		// a bad pattern matches nothing, as with BuildKit
		if ok, _ := path.Match(fold(f, patterns[0]), fold(f, name)); !ok {
			continue
		}
		p := path.Join(dir, name)
		if len(patterns) == 1 {
			found = append(found, p)
			continue
		}
		n, err := f.Lstat(p)
		if err != nil {
			return nil, err
		}
		if n == nil || n.Kind != layer.Dir {
			continue
		}
		more, err := expand(f, p, patterns[1:])
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// Wild reports whether a part of a path has a wildcard that is not escaped.
func Wild(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// Missing returns the error for a source that does not exist, with those that do.
func Missing(f Files, p string) error {
	dir := path.Dir(path.Clean(p))
	for dir != "/" {
		if n, err := f.Lstat(dir); err != nil || n != nil && n.Kind == layer.Dir {
			break
		}
		dir = path.Dir(dir)
	}
	if n, err := f.Lstat(path.Clean(p)); err == nil && n != nil && n.Kind == layer.Symlink {
		return fmt.Errorf("%s is a symbolic link to %s, and nothing is there in the files to copy from", p[1:], n.Link)
	}
	if t, ok := f.(*Tree); ok && t.Below == nil {
		return fmt.Errorf("%s not found: the context has %s", p[1:], List(t.regular("/"), "files"))
	}
	if d, ok := f.(*Directory); ok && d.never(path.Clean(p)) {
		return fmt.Errorf("%s is never part of a context, as .git, the store and the output directory are: "+
			"copy the file to another place", p[1:])
	}
	names, err := f.ReadDir(dir)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is not there, or .dockerignore names it: %s has %s", p[1:], dir, List(names, "files"))
}

// regular returns the paths of all files below dir, without the leading slash.
func (t *Tree) regular(dir string) []string {
	var found []string
	names, err := t.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, name := range names {
		p := path.Join(dir, name)
		switch n, err := t.Lstat(p); {
		case err != nil || n == nil:
		case n.Kind == layer.Dir:
			found = append(found, t.regular(p)...)
		default:
			found = append(found, p[1:])
		}
	}
	return found
}

// List names at most twenty things for a message.
func List(names []string, thing string) string {
	const most = 20
	switch {
	case len(names) == 0:
		return "no named " + thing
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
