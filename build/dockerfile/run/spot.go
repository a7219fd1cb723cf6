package run

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// spot is where a name leads.
type spot struct {
	p     string
	n     *tree.Node // nil where nothing is
	slash bool       // the name ends in a slash
	name  string
}

// spot returns what is at a name. Without through a symbolic link at the end is not followed.
func (r *runner) spot(name string, through bool) (spot, error) {
	s, err := r.find(name, through)
	switch {
	case err != nil:
		return s, err
	case s.n == nil && r.unknown(s.p):
		return s, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n == nil:
		return s, mistake.At(name, "RUN %s: %s is not there", r.commands[r.at].Args[0].Text, name)
	case r.s.Toolchain && s.n.Kind != layer.Dir && len(r.s.Doubts(s.p, s.n)) > 0:
		return s, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n.Odd != "":
		return s, fmt.Errorf("%s is %s, which a layer cannot contain here", name, s.n.Odd)
	}
	return s, nil
}

// unknown reports whether a path, at which the tree has nothing, may be in a base that is not at
// hand.
func (r *runner) unknown(p string) bool { return r.t.Open && !r.t.Hidden(p) }

// find is spot for what may be missing. In a base whose files are not known it is taken to be
// missing, as COPY does.
func (r *runner) find(name string, through bool) (spot, error) {
	s := spot{name: name}
	p, err := r.absolute(name)
	if err != nil {
		return s, err
	}
	trimmed := strings.TrimRight(p, "/")
	s.slash = trimmed != p
	if err := r.upwards(name, trimmed); err != nil {
		return s, err
	}
	dir, base := path.Split(trimmed)
	if through && !s.slash {
		if s.slash, err = r.slashed(dir, base); err != nil {
			return s, err
		}
	}
	if through || s.slash || base == "" || base == "." || base == ".." {
		s.p, err = tree.Follow(r.t, trimmed)
	} else if s.p, err = tree.Follow(r.t, dir); err == nil {
		s.p = path.Join(s.p, base)
	}
	if err != nil {
		return s, err
	}
	if err := r.mounted(s.p); err != nil {
		return s, err
	}
	if s.n, err = r.t.Lstat(s.p); err != nil {
		return s, err
	}
	if s.slash && s.n != nil && s.n.Kind != layer.Dir || base == "." && (s.n == nil && !r.unknown(s.p) || s.n != nil && s.n.Kind != layer.Dir) {
		return s, fmt.Errorf("%s is not a directory", name)
	}
	return s, nil
}

// slashed reports whether a name is a link, or the first of several, to something that ends in a
// slash or a dot, and so to a directory.
func (r *runner) slashed(dir, base string) (bool, error) {
	at, err := tree.Follow(r.t, dir)
	if err != nil {
		return false, err
	}
	for range 40 {
		n, err := r.t.Lstat(path.Join(at, base))
		if err != nil || n == nil || n.Kind != layer.Symlink {
			return false, err
		}
		if last := path.Base(n.Link); strings.HasSuffix(n.Link, "/") || strings.HasSuffix(n.Link, "/.") || last == ".." || n.Link == "." {
			return true, nil
		}
		next, last := path.Split(n.Link)
		if !path.IsAbs(next) {
			next = at + "/" + next
		}
		if at, err = tree.Follow(r.t, next); err != nil {
			return false, err
		}
		base = last
	}
	return false, nil
}

// itself refuses the name of a link with a slash behind it, which leads to another file for each
// command.
func (r *runner) itself(name string) error {
	trimmed := strings.TrimRight(tree.Slashed(name), "/")
	if trimmed == tree.Slashed(name) || trimmed == "" {
		return nil
	}
	s, err := r.find(trimmed, false)
	if err == nil && s.n != nil && s.n.Kind == layer.Symlink {
		err = fmt.Errorf("%s is a link: write it without the slash, or name what it leads to", name)
	}
	return err
}

// upwards checks that there is a directory before each ".." of a path.
func (r *runner) upwards(name, p string) error {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if part != ".." {
			continue
		}
		at, n, err := tree.Resolve(r.t, strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		if at != "/" && (n == nil && !r.unknown(at) || n != nil && n.Kind != layer.Dir) {
			return fmt.Errorf("%s: there is no directory %s", name, at)
		}
	}
	return nil
}

// absolute returns the path that a name means, with its links and "..".
func (r *runner) absolute(name string) (string, error) {
	if name == "" {
		return "", errors.New("the name of a file is empty")
	}
	if r.s.Windows() {
		name = tree.Slashed(name)
		if strings.ContainsAny(name, ":*?") {
			return "", fmt.Errorf("%s is not a plain path on drive C", name)
		}
	}
	if !path.IsAbs(name) {
		name = r.dir + "/" + name
	}
	if len(name) > tree.MaxSource {
		return "", errors.New("a path is too long")
	}
	return name, nil
}

// mounted refuses files in file systems that exist only while a command runs.
func (r *runner) mounted(p string) error {
	if r.s.Windows() {
		return nil
	}
	for _, m := range append([]string{"/proc", "/sys", "/dev", "/etc/hosts", "/etc/resolv.conf"}, r.volatile...) {
		if p == m || strings.HasPrefix(p, m+"/") {
			return fmt.Errorf("%s is not the image's own while RUN runs, so that nothing done to it would stay: use COPY", m)
		}
	}
	return nil
}

// make puts a new file at p. As on Linux, one in a directory with the setgid bit has its group.
func (r *runner) make(p string, n *tree.Node) error {
	dir, err := r.t.Lstat(path.Dir(p))
	switch {
	case err != nil:
		return err
	case dir == nil && r.unknown(path.Dir(p)):
		if err := r.t.MkdirAll(path.Dir(p), tree.Root); err != nil {
			return err
		}
		r.t.Assumed[path.Dir(p)] = true
	case dir == nil:
		return fmt.Errorf("there is no directory %s: make it before, with mkdir -p", path.Dir(p))
	case dir.Kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", path.Dir(p))
	default:
		n = inherit(dir, n)
	}
	return r.t.Set(p, n)
}
