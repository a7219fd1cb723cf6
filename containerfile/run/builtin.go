package run

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// test decides [ OP NAME ] for root.
func (r *runner) test(op, name string) bool {
	if name == "" {
		return false
	}
	s := r.find(name, op != "-h" && op != "-L")
	switch {
	case s.n == nil:
		r.checkAbsent(s.p)
		return false
	case s.n.Stub, r.s.Toolchain && len(r.s.Writers(s.p, s.n)) > 0:
		check(errUnknown)
	}
	executable := s.n.Mode&0o111 != 0
	switch op {
	case "-x":
		if s.is(layer.Dir) && !executable {
			fail("root may enter every directory in some systems: write -d")
		}
	case "-s":
		if !s.is(layer.Regular) {
			fail("it is not a file, whose size alone is known")
		}
		return filled(s.n)
	}
	if s.n.Odd != "" {
		fail("it is %s, which is not supported", s.n.Odd)
	}
	switch op {
	case "-f":
		return s.is(layer.Regular)
	case "-d":
		return s.is(layer.Dir)
	case "-h", "-L":
		return s.is(layer.Symlink)
	case "-x":
		return executable
	}
	return true
}

func filled(n *tree.Node) bool {
	if compiled(n) {
		return true
	}
	c := must(n.Content())
	if c.Open == nil {
		check(errLater)
	}
	return c.Size > 0
}

// checkAbsent fails unless it is certain that p does not exist.
func (r *runner) checkAbsent(p string) {
	if m, _, ok := r.t.Mounted(p); ok {
		if t, ok := m.Files.(*tree.Tree); ok && t.Open {
			check(errUnknown)
		}
		return
	}
	if r.s.Toolchain && len(r.s.Writers(p, nil)) > 0 {
		check(errUnknown)
	}
	for dir := path.Dir(p); r.unknown(p); dir = path.Dir(dir) {
		switch n := r.lstat(dir); {
		case n == nil && dir != "/":
		case r.s.Toolchain && r.s.Made(dir): // as for a COPY out of it
			return
		default:
			check(errUnknown)
		}
	}
}

// cd changes the working directory as shells do: ".." takes away the name before it, even if that
// is a link.
func cd(r *runner, _ options, args []string) {
	name := args[0]
	var s lookup
	err := try(func() { s = r.existing(name, true) })
	if r.s.Toolchain && errors.Is(err, errUnknown) {
		r.dir, r.logical = joined(r.dir, name), "" // it is there, or nothing after it is done
		return
	}
	check(err)
	logical := path.Clean(name)
	if !path.IsAbs(logical) {
		if r.logical == "" && slices.Contains(strings.Split(name, "/"), "..") {
			fail("%s is not supported, since WORKDIR leads through a link: write the full path", name)
		}
		logical = path.Join(r.logical, name)
	}
	if r.logical != "" || path.IsAbs(name) {
		s = r.existing(logical, true)
		r.logical = logical
	}
	if name == "-" || !s.is(layer.Dir) {
		fail("%s is not a directory", name)
	}
	r.dir = s.p
}
