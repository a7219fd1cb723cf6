package maintainer

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// updateRC is update-rc.d: the links in /etc/rc?.d by which an init of System V would start a
// service.
func updateRC(c *call) (int, error) {
	if len(c.args) < 2 {
		return c.usage(1)
	}
	for _, p := range []string{"/etc/insserv.conf", "/sbin/openrc"} {
		if s, err := c.to(p); err != nil {
			return 0, err
		} else if s.n != nil {
			return 0, fmt.Errorf("finds %s, and the links of its init are not known here: %s", p, instead)
		}
	}
	name, action := c.args[0], c.args[1]
	switch action {
	case "remove":
		links, err := c.rcLinks(name, "0123456S")
		if err != nil {
			return 0, err
		}
		for _, l := range links {
			if err := c.r.t.Erase(l); err != nil {
				return 0, err
			}
		}
		return 0, nil
	case "defaults", "start", "stop":
		return c.rcDefaults(name, "S")
	case "defaults-disabled":
		return c.rcDefaults(name, "K")
	case "enable", "disable":
		return c.rcToggle(name, action, c.args[2:])
	}
	return c.usage(1)
}

// rcLinks returns the links of a service in some run levels.
func (c *call) rcLinks(name, levels string) ([]string, error) {
	var all []string
	for _, level := range levels {
		dir := "/etc/rc" + string(level) + ".d"
		s, err := c.to(dir)
		if err != nil {
			return nil, err
		}
		if !s.dir() {
			continue
		}
		names, err := c.r.t.ReadDir(s.p)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if len(n) > 3 && (n[0] == 'S' || n[0] == 'K') && n[3:] == name {
				all = append(all, path.Join(s.p, n))
			}
		}
	}
	return all, nil
}

// rcLevels returns the run levels in which a service starts and stops.
func (c *call) rcLevels(name string) (start, stop []string, there bool, err error) {
	text, there, err := c.read("/etc/init.d/" + name)
	in := false
	for _, line := range lines(text) {
		switch {
		case strings.HasPrefix(line, "### BEGIN INIT INFO"):
			in = true
		case strings.HasPrefix(line, "### END INIT INFO"):
			return start, stop, there, err
		case in && strings.HasPrefix(line, "# Default-Start:"):
			start = strings.Fields(line[len("# Default-Start:"):])
		case in && strings.HasPrefix(line, "# Default-Stop:"):
			stop = strings.Fields(line[len("# Default-Stop:"):])
		}
	}
	return start, stop, there, err
}

func (c *call) rcDefaults(name, letter string) (int, error) {
	links, err := c.rcLinks(name, "0123456S")
	if err != nil || len(links) > 0 {
		return 0, err
	}
	start, stop, there, err := c.rcLevels(name)
	if err != nil {
		return 0, err
	}
	if !there {
		return c.fail("error: unable to read /etc/init.d/%s", name)
	}
	for n, levels := range [][]string{start, stop} {
		kind := letter
		if n == 1 {
			kind = "K"
		}
		for _, level := range levels {
			p := "/etc/rc" + level + ".d/" + kind + "01" + name
			if err := c.r.t.MkdirAll(path.Dir(p), tree.Root); err != nil {
				return 0, err
			}
			s, err := c.at(p)
			if err != nil {
				return 0, err
			}
			if s.n == nil {
				n := &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: "../init.d/" + name}
				if err := c.set(p, n); err != nil {
					return 0, err
				}
			}
		}
	}
	return 0, nil
}

// rcToggle turns start links into stop links, or the other way, and the links of systemd with them.
func (c *call) rcToggle(name, action string, levels []string) (int, error) {
	if len(levels) == 0 {
		start, _, there, err := c.rcLevels(name)
		if err != nil {
			return 0, err
		}
		if !there {
			return c.fail("error: cannot find a LSB script for %s", name)
		}
		levels = start
	}
	links, err := c.rcLinks(name, strings.Join(levels, ""))
	if err != nil {
		return 0, err
	}
	if len(links) == 0 {
		return c.fail("error: no runlevel symlinks to modify, aborting!")
	}
	from, to := "K", "S"
	if action == "disable" {
		from, to = to, from
	}
	for _, l := range links {
		if base := path.Base(l); strings.HasPrefix(base, from) {
			s, err := c.at(l)
			if err != nil {
				return 0, err
			}
			if err := c.rename(s, path.Dir(l)+"/"+to+base[1:]); err != nil {
				return 0, err
			}
		}
	}
	u := c.units()
	if action == "enable" {
		file, err := u.find(name + ".service")
		if err != nil || file == name+".service" {
			return 0, err
		}
		return u.enable([]string{name + ".service"}, false)
	}
	return 0, u.disable([]string{name + ".service"})
}
