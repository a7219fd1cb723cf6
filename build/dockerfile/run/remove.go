package run

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

func rm(r *runner, o options, args []string) error {
	if len(args) == 0 && !o.has("f") {
		return fmt.Errorf("it names no file")
	}
	for _, name := range args {
		if base := path.Base(name); base == "." || base == ".." || strings.Trim(name, "/") == "" {
			return fmt.Errorf("%s is not removed: name what is in it", name)
		}
		if err := r.itself(name); err != nil {
			return err
		}
		s, err := r.find(name, false)
		switch {
		case err != nil:
			return err
		case s.n == nil && r.unknown(s.p):
			return fmt.Errorf("%s: %w", name, errUnknown)
		case s.n == nil && o.has("f"):
			continue
		case s.n == nil:
			return mistake.At(name, "RUN rm: %s is not there: use rm -f where it may be missing", name)
		case s.n.Kind == layer.Dir && !o.has("rR"):
			return mistake.At(name, "RUN rm: %s is a directory: use rm -r", name)
		case s.slash && strings.HasSuffix(name, "/") && s.n.Kind != layer.Dir:
			return fmt.Errorf("%s is not a directory", name)
		}
		if err := r.remove(s.p); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a file or a directory with its contents.
func (r *runner) remove(p string) error {
	if at, err := tree.Follow(r.t, r.dir); err != nil || at == p || strings.HasPrefix(at, strings.TrimSuffix(p, "/")+"/") {
		return fmt.Errorf("%s has the working directory in it: write cd to another before", p)
	}
	for _, m := range []string{"/proc", "/sys", "/dev", "/etc/hosts", "/etc/resolv.conf"} {
		if !r.s.Windows() && strings.HasPrefix(m, p+"/") {
			return fmt.Errorf("%s has %s in it, which cannot be removed while RUN runs: name what is in it", p, m)
		}
	}
	return r.t.Erase(p)
}

func rmdir(r *runner, _ options, args []string) error {
	for _, name := range args {
		if err := r.itself(name); err != nil {
			return err
		}
		s, err := r.spot(name, false)
		if err != nil {
			return err
		}
		if base := path.Base(name); s.n.Kind != layer.Dir || base == "." || base == ".." {
			return fmt.Errorf("%s is not a directory by its own name", name)
		}
		if err := r.empty(s); err != nil {
			return err
		}
		if err := r.remove(s.p); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) empty(s spot) error {
	names, err := r.list(s.p)
	if err == nil && len(names) > 0 {
		return fmt.Errorf("%s is not empty: it has %s", s.name, tree.List(names, "file"))
	}
	return err
}

func mv(r *runner, o options, args []string) error {
	from, dest, into, err := r.sources(o, args)
	if err != nil {
		return err
	}
	made := map[string]bool{}
	for _, source := range from {
		name, err := under(source, dest, into)
		if err != nil {
			return err
		}
		d, err := r.find(name, false)
		if err != nil {
			return err
		}
		if made[d.p] {
			return fmt.Errorf("%s was made by the same command, and is not replaced", name)
		}
		made[d.p] = true
		if err := r.move(source, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) move(source, dest string) error {
	if base := path.Base(source); base == "." || base == ".." {
		return fmt.Errorf("%s cannot be moved: name the directory", source)
	}
	for _, name := range []string{source, dest} {
		if err := r.itself(name); err != nil {
			return err
		}
		if base := path.Base(strings.TrimRight(name, "/")); base == "." || base == ".." {
			return fmt.Errorf("%s is not a name of its own: name the directory", name)
		}
	}
	s, err := r.spot(source, false)
	if err != nil {
		return err
	}
	d, err := r.find(dest, false)
	if err != nil {
		return err
	}
	dir := s.n.Kind == layer.Dir
	at, err := tree.Follow(r.t, s.p)
	if err != nil {
		return err
	}
	switch {
	case s.p == d.p, d.n != nil && at == d.p:
		return fmt.Errorf("%s and %s are one file", source, dest)
	case strings.HasPrefix(d.p, s.p+"/"):
		return fmt.Errorf("%s cannot be moved into itself, %s", source, dest)
	case d.slash && !dir:
		return fmt.Errorf("%s is not a directory", dest)
	case d.n != nil && dir != (d.n.Kind == layer.Dir):
		return fmt.Errorf("of %s and %s only one is a directory, and so the one does not replace the other", source, dest)
	case d.n != nil && dir:
		if err := r.empty(d); err != nil {
			return err
		}
	}
	if d.n != nil {
		if err := r.remove(d.p); err != nil {
			return err
		}
	}
	if err := r.transplant(s.p, s.n, d.p); err != nil {
		return err
	}
	return r.remove(s.p)
}

// transplant puts a file and its contents at another path, unchanged.
func (r *runner) transplant(from string, n *tree.Node, to string) error {
	if n.Odd != "" {
		return fmt.Errorf("%s is %s, which a layer cannot contain here", from, n.Odd)
	}
	c := copyTree{runner: r}
	if err := c.place(to, n, true); err != nil || n.Kind != layer.Dir {
		return err
	}
	names, err := r.list(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		child, err := r.t.Lstat(path.Join(from, name))
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		if err := r.transplant(path.Join(from, name), child, path.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}
