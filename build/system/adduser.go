package system

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/build/layer"
)

// variant returns what a program is a link to by its name, empty for a program of its own: that is
// busybox in Alpine, and useradd for adduser in Fedora.
func (s *System) variant(name string) (string, error) {
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		p, err := s.itself(dir + "/" + name)
		if err != nil {
			return "", err
		}
		n, err := s.Tree.Lstat(p)
		if err != nil {
			return "", err
		}
		if n == nil {
			continue
		}
		if n.Kind == layer.Symlink {
			return path.Base(n.Link), nil
		}
		return "", nil
	}
	if n, err := s.stat("/bin/busybox"); err != nil || n == nil {
		return "", err
	}
	return "busybox", nil
}

// adding is a program that is BusyBox's where the system has that, and one of shadow where it is a
// link to that.
func adding(name, shadow string, busy func(*System, []string) error) Program {
	return func(s *System, args []string) error {
		switch variant, err := s.variant(name); {
		case err != nil:
			return err
		case variant == "busybox":
			return busy(s, args)
		case variant == shadow:
			return programs[shadow](s, args)
		}
		return fmt.Errorf("%s: Debian has a script, which differs from release to release: use %s", name, shadow)
	}
}
