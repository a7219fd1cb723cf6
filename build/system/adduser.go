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

// adduser is BusyBox's where the system has that, and useradd where it is a link to it.
func adduser(s *System, args []string) error {
	return s.adding("adduser", args, func() error { return s.busyAddUser(args) })
}

// addgroup is BusyBox's where the system has that, and groupadd where it is a link to it.
func addgroup(s *System, args []string) error {
	return s.adding("addgroup", args, func() error { return s.busyAddGroup(args) })
}

func (s *System) adding(name string, args []string, busy func() error) error {
	switch variant, err := s.variant(name); {
	case err != nil:
		return err
	case variant == "busybox":
		return busy()
	case variant == "useradd" || variant == "groupadd":
		return programs[variant](s, args)
	}
	real := "useradd"
	if name == "addgroup" {
		real = "groupadd"
	}
	return fmt.Errorf("%s: Debian has a script, which differs from release to release: use %s", name, real)
}
