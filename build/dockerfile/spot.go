package dockerfile

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// spot is where a name leads.
type spot struct {
	p     string
	n     *node // nil where nothing is
	slash bool  // the name ends in a slash
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
		return s, errorAt(name, "RUN %s: %s is not there", r.commands[r.at].Args[0].Text, name)
	case r.s.toolchain && s.n.kind != layer.Dir && len(r.s.doubts(s.p, s.n)) > 0:
		return s, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n.odd != "":
		return s, fmt.Errorf("%s is %s, which a layer cannot contain here", name, s.n.odd)
	}
	return s, nil
}

// unknown reports whether a path, at which the tree has nothing, may be in a base that is not at
// hand.
func (r *runner) unknown(p string) bool { return r.t.open && !r.t.hidden(p) }

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
		s.p, err = follow(r.t, trimmed)
	} else if s.p, err = follow(r.t, dir); err == nil {
		s.p = path.Join(s.p, base)
	}
	if err != nil {
		return s, err
	}
	if err := r.mounted(s.p); err != nil {
		return s, err
	}
	if s.n, err = r.t.lstat(s.p); err != nil {
		return s, err
	}
	if s.slash && s.n != nil && s.n.kind != layer.Dir || base == "." && (s.n == nil && !r.unknown(s.p) || s.n != nil && s.n.kind != layer.Dir) {
		return s, fmt.Errorf("%s is not a directory", name)
	}
	return s, nil
}

// slashed reports whether a name is a link, or the first of several, to something that ends in a
// slash or a dot, and so to a directory.
func (r *runner) slashed(dir, base string) (bool, error) {
	at, err := follow(r.t, dir)
	if err != nil {
		return false, err
	}
	for range 40 {
		n, err := r.t.lstat(path.Join(at, base))
		if err != nil || n == nil || n.kind != layer.Symlink {
			return false, err
		}
		if last := path.Base(n.link); strings.HasSuffix(n.link, "/") || strings.HasSuffix(n.link, "/.") || last == ".." || n.link == "." {
			return true, nil
		}
		next, last := path.Split(n.link)
		if !path.IsAbs(next) {
			next = at + "/" + next
		}
		if at, err = follow(r.t, next); err != nil {
			return false, err
		}
		base = last
	}
	return false, nil
}

// itself refuses the name of a link with a slash behind it, which leads to another file for each
// command.
func (r *runner) itself(name string) error {
	trimmed := strings.TrimRight(slashed(name), "/")
	if trimmed == slashed(name) || trimmed == "" {
		return nil
	}
	s, err := r.find(trimmed, false)
	if err == nil && s.n != nil && s.n.kind == layer.Symlink {
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
		at, n, err := resolve(r.t, strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		if at != "/" && (n == nil && !r.unknown(at) || n != nil && n.kind != layer.Dir) {
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
	if r.s.windows() {
		name = slashed(name)
		if strings.ContainsAny(name, ":*?") {
			return "", fmt.Errorf("%s is not a plain path on drive C", name)
		}
	}
	if !path.IsAbs(name) {
		name = r.dir + "/" + name
	}
	if len(name) > maxSource {
		return "", errors.New("a path is too long")
	}
	return name, nil
}

// mounted refuses files in file systems that exist only while a command runs.
func (r *runner) mounted(p string) error {
	if r.s.windows() {
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
func (r *runner) make(p string, n *node) error {
	dir, err := r.t.lstat(path.Dir(p))
	switch {
	case err != nil:
		return err
	case dir == nil && r.unknown(path.Dir(p)):
		if err := r.t.mkdirAll(path.Dir(p), rootNode); err != nil {
			return err
		}
		r.t.assumed[path.Dir(p)] = true
	case dir == nil:
		return fmt.Errorf("there is no directory %s: make it before, with mkdir -p", path.Dir(p))
	case dir.kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", path.Dir(p))
	default:
		n = inherit(dir, n)
	}
	return r.t.set(p, n)
}
