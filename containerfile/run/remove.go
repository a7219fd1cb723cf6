package run

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

func rm(r *runner, o options, args []string) {
	if len(args) == 0 && !o.has("f") {
		fail("it names no file")
	}
	for _, name := range args {
		if base := path.Base(name); base == "." || base == ".." || strings.Trim(name, "/") == "" {
			fail("%s is not removed: name the files in it", name)
		}
		r.itself(name)
		s := r.find(name, false)
		r.known(s)
		switch {
		case s.n == nil && o.has("f"):
			continue
		case s.n == nil:
			failAt(name, "RUN rm: %s is not there: use rm -f where it may be missing", name)
		case s.is(layer.Dir) && !o.has("r", "R"):
			failAt(name, "RUN rm: %s is a directory: use rm -r", name)
		case s.slash && strings.HasSuffix(name, "/") && !s.is(layer.Dir):
			fail("%s is not a directory", name)
		}
		r.remove(s.p)
	}
}

func (r *runner) remove(p string) {
	dir, err := tree.Follow(r.t, r.dir)
	if err != nil || dir == p || strings.HasPrefix(dir, strings.TrimSuffix(p, "/")+"/") {
		fail("%s has the working directory in it: write cd to another before", p)
	}
	for _, m := range transient {
		if !r.s.Windows() && strings.HasPrefix(m, p+"/") {
			fail("%s has %s in it, which cannot be removed while RUN runs: name the files in it", p, m)
		}
	}
	check(r.t.Erase(p))
}

func rmdir(r *runner, _ options, args []string) {
	for _, name := range args {
		r.itself(name)
		s := r.existing(name, false)
		if base := path.Base(name); !s.is(layer.Dir) || base == "." || base == ".." {
			fail("%s is not a directory by its own name", name)
		}
		r.empty(s)
		r.remove(s.p)
	}
}

// empty fails for a directory with files in it.
func (r *runner) empty(s lookup) {
	if names := r.list(s.p); len(names) > 0 {
		fail("%s is not empty: it has %s", s.name, tree.List(names, "file"))
	}
}

func mv(r *runner, o options, args []string) {
	made := map[string]bool{}
	r.transfers(o, args, func(source string, to func() string) {
		name := to()
		d := r.find(name, false)
		if made[d.p] {
			fail("%s was made by the same command, and is not replaced", name)
		}
		made[d.p] = true
		r.move(source, name)
	})
}

func (r *runner) move(source, dest string) {
	if base := path.Base(source); base == "." || base == ".." {
		fail("%s cannot be moved: name the directory", source)
	}
	for _, name := range []string{source, dest} {
		r.itself(name)
		if base := path.Base(strings.TrimRight(name, "/")); base == "." || base == ".." {
			fail("%s is not a name of its own: name the directory", name)
		}
	}
	s, d := r.existing(source, false), r.find(dest, false)
	dir := s.is(layer.Dir)
	switch to := r.follow(s.p); {
	case s.p == d.p, d.n != nil && to == d.p:
		fail("%s and %s are one file", source, dest)
	case strings.HasPrefix(d.p, s.p+"/"):
		fail("%s cannot be moved into itself, %s", source, dest)
	case d.slash && !dir:
		fail("%s is not a directory", dest)
	case d.n != nil && dir != d.is(layer.Dir):
		fail("of %s and %s only one is a directory, and so the one does not replace the other", source, dest)
	case d.n != nil && dir:
		r.empty(d)
	}
	if d.n != nil {
		r.remove(d.p)
	}
	r.transplant(s.p, s.n, d.p)
	r.remove(s.p)
}

// transplant puts a file and its contents at another path, unchanged.
func (r *runner) transplant(from string, n *tree.Node, to string) {
	expressible(from, n)
	r.place(to, n)
	if n.Kind != layer.Dir {
		return
	}
	r.children(from, func(p string, n *tree.Node) {
		if n != nil {
			r.transplant(p, n, path.Join(to, path.Base(p)))
		}
	})
}
