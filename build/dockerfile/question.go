package dockerfile

import (
	"errors"
	"fmt"
	"path"

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
	case s.n.stub, r.s.toolchain && len(r.s.doubts(s.p, s.n)) > 0:
		return false, errUnknown
	}
	executable := s.n.mode&0o111 != 0
	switch kind := s.n.kind; op {
	case "-f":
		return kind == layer.Regular && s.n.odd == "", odd(s.n)
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

func odd(n *node) error {
	if n.odd != "" {
		return fmt.Errorf("it is %s, which is not known here", n.odd)
	}
	return nil
}

// filled reports whether a file is not empty.
func filled(n *node) (bool, error) {
	if compiled(n) {
		return true, nil
	}
	c, err := n.content()
	if err == nil && c.Open == nil {
		err = errLater
	}
	return c.Size > 0, err
}

// absent returns an error where it is not known that nothing is at p.
func (r *runner) absent(p string) error {
	if m, _, ok := r.t.mounted(p); ok {
		if t, ok := m.files.(*tree); ok && t.open {
			return errUnknown
		}
		return nil
	}
	if r.s.toolchain && len(r.s.doubts(p, nil)) > 0 {
		return errUnknown
	}
	for dir := path.Dir(p); r.unknown(p); dir = path.Dir(dir) {
		n, err := r.t.lstat(dir)
		switch {
		case err != nil:
			return err
		case n == nil && dir != "/":
			continue
		case r.s.toolchain && r.s.made(dir): // as for what is copied out of it
			return nil
		}
		return errUnknown
	}
	return nil
}
