package run

import (
	"errors"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// is decides [ OP NAME ] for root.
func (r *runner) is(op, name string) (bool, error) {
	if name == "" {
		return false, nil
	}
	s, err := r.find(name, op != "-h" && op != "-L")
	switch {
	case err != nil:
		return false, err
	case s.n == nil:
		return false, r.absent(s.p)
	case s.n.Stub, r.s.Toolchain && len(r.s.Doubts(s.p, s.n)) > 0:
		return false, errUnknown
	}
	executable := s.n.Mode&0o111 != 0
	switch kind := s.n.Kind; op {
	case "-f":
		return kind == layer.Regular && s.n.Odd == "", odd(s.n)
	case "-d":
		return kind == layer.Dir, odd(s.n)
	case "-h", "-L":
		return kind == layer.Symlink, odd(s.n)
	case "-x":
		if kind == layer.Dir && !executable {
			return false, errors.New("root may enter every directory in some systems: write -d")
		}
		return executable, odd(s.n)
	case "-s":
		if kind != layer.Regular {
			return false, errors.New("it is not a file, whose size alone is known")
		}
		return filled(s.n)
	}
	return true, odd(s.n)
}

func odd(n *tree.Node) error {
	if n.Odd != "" {
		return fmt.Errorf("it is %s, which is not known here", n.Odd)
	}
	return nil
}

// filled reports whether a file is not empty.
func filled(n *tree.Node) (bool, error) {
	if compiled(n) {
		return true, nil
	}
	c, err := n.Content()
	if err == nil && c.Open == nil {
		err = errLater
	}
	return c.Size > 0, err
}

// absent returns an error where it is not known that nothing is at p.
func (r *runner) absent(p string) error {
	if m, _, ok := r.t.Mounted(p); ok {
		if t, ok := m.Files.(*tree.Tree); ok && t.Open {
			return errUnknown
		}
		return nil
	}
	if r.s.Toolchain && len(r.s.Doubts(p, nil)) > 0 {
		return errUnknown
	}
	for dir := path.Dir(p); r.unknown(p); dir = path.Dir(dir) {
		n, err := r.t.Lstat(dir)
		switch {
		case err != nil:
			return err
		case n == nil && dir != "/":
			continue
		case r.s.Toolchain && r.s.Made(dir): // as for what is copied out of it
			return nil
		}
		return errUnknown
	}
	return nil
}
