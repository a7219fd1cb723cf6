package maintainer

import (
	"errors"
	"path"
	"slices"
)

// systemctl changes the links of units. It starts and stops nothing, since nothing runs.
func systemctl(c *call) (int, error) {
	if c.has("help", "version") || len(c.args) == 0 {
		return 0, nil
	}
	u := c.units()
	switch c.args[0] {
	case "enable":
		return u.enable(c.args[1:], false)
	case "preset":
		return u.enable(c.args[1:], true)
	case "disable":
		return 0, u.disable(c.args[1:])
	case "mask", "unmask":
		for _, name := range c.args[1:] {
			p := "/etc/systemd/" + u.instance + "/" + name
			var err error
			if c.args[0] == "mask" {
				err = u.make(link{p, "/dev/null"})
			} else if s, e := c.at(p); e == nil && s.link() && s.n.Link == "/dev/null" {
				err = c.r.t.Erase(s.p)
			}
			if err != nil {
				return 0, err
			}
		}
		return 0, nil
	case "is-enabled":
		return u.isEnabled(c.args[1:])
	case "daemon-reload", "daemon-reexec":
		return 0, nil
	case "start", "stop", "restart", "reload", "try-restart", "reload-or-restart", "try-reload-or-restart", "kill",
		"is-active", "is-failed", "show", "status", "is-system-running", "isolate", "reset-failed", "list-units":
		c.Err.Printf("System has not been booted with systemd as init system (PID 1). Can't operate.\n")
		if c.args[0] == "is-active" {
			return 3, nil
		}
		return 1, nil
	}
	return 0, unknownOption(c.args[0])
}

// disable removes the links to units.
func (u *units) disable(names []string) error {
	dir := spot{p: "/etc/systemd/" + u.instance}
	var err error
	if dir, err = u.c.to(dir.p); err != nil || !dir.dir() {
		return err
	}
	return u.c.walk(dir, true, func(s spot) error {
		if s.link() && s.n.Link != "/dev/null" && slices.ContainsFunc(names, func(n string) bool {
			return path.Base(s.p) == n || path.Base(s.n.Link) == n
		}) {
			return u.c.r.t.Erase(s.p)
		}
		return nil
	})
}

func (u *units) isEnabled(names []string) (int, error) {
	status := 1
	for _, name := range names {
		file, err := u.find(name)
		if err != nil {
			return 0, err
		}
		links, err := u.closure(file, nil)
		if err != nil && !errors.Is(err, errNoUnit) {
			return 0, err
		}
		state := "disabled"
		for _, l := range links {
			if is, err := u.isLink(l.src); err != nil {
				return 0, err
			} else if is {
				state, status = "enabled", 0
			}
		}
		if !u.c.has("quiet") {
			u.c.Out.Printf("%s\n", state)
		}
	}
	return status, nil
}
