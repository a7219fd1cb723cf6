package maintainer

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// systemdHelper is deb-systemd-helper, of which the real one is a script for Perl.
func systemdHelper(c *call) (int, error) {
	if len(c.args) == 0 {
		return 0, nil
	}
	action := c.args[0]
	u := c.units()
	purge := action == "purge" || c.Shell.Getenv("_DEB_SYSTEMD_HELPER_PURGE") == "1"
	if action == "purge" {
		action = "disable"
	}
	status := 0
	if action == "is-enabled" || action == "was-enabled" || action == "debian-installed" {
		status = 1
	}
	for _, name := range c.args[1:] {
		file, err := u.find(name)
		if err != nil {
			return 0, err
		}
		ok, err := u.act(action, name, file, purge)
		if errors.Is(err, errNoUnit) {
			c.Err.Printf("deb-systemd-helper: error: unable to read %s\n", file)
			return 1, nil
		}
		if err != nil {
			return 0, err
		}
		if ok {
			status = 0
		}
	}
	return status, nil
}

func (u *units) act(action, name, file string, purge bool) (bool, error) {
	switch action {
	case "is-enabled":
		links, err := u.closure(file, nil)
		if err != nil {
			return false, err
		}
		return u.allLinks(links)
	case "was-enabled":
		var links []link
		entries, err := u.entries(name)
		for _, e := range entries {
			links = append(links, link{src: e})
		}
		if err != nil {
			return false, err
		}
		return u.allLinks(links)
	case "debian-installed":
		s, err := u.c.to(u.state(name))
		return s.regular(), err
	case "update-state":
		links, err := u.closure(file, nil)
		if err != nil {
			return false, err
		}
		return false, u.writeState(name, links)
	case "enable":
		return false, u.helperEnable(name, file)
	case "reenable":
		return false, first(u.removeLinks(file, purge), u.record(name, file, true))
	case "disable":
		return false, first(u.removeLinks(file, purge), u.tidy(u.enabled, "/etc/systemd/system", "/etc/systemd/user"))
	case "mask":
		return false, u.mask(file)
	case "unmask":
		return false, first(u.unmask(file), u.tidy(u.masked))
	}
	return false, unknownOption(action)
}

// state is the file in which deb-systemd-helper keeps the links of a unit.
func (u *units) state(name string) string { return u.enabled + "/" + path.Base(name) + ".dsh-also" }

func (u *units) entries(name string) ([]string, error) {
	text, _, err := u.c.read(u.state(name))
	return lines(text), err
}

func (u *units) allLinks(links []link) (bool, error) {
	for _, l := range links {
		if is, err := u.isLink(l.src); err != nil || !is {
			return false, err
		}
	}
	return true, nil
}

func (u *units) writeState(name string, links []link) error {
	var b strings.Builder
	for _, l := range links {
		b.WriteString(l.src + "\n")
	}
	return u.c.write(u.state(name), []byte(b.String()), 0o644)
}

// helperEnable makes links when a unit is installed for the first time, or new ones where some are.
func (u *units) helperEnable(name, file string) error {
	systemctl, err := u.c.Shell.LookPath("/bin/systemctl")
	if err != nil {
		return err
	}
	if systemctl == "" {
		return u.record(name, file, true)
	}
	known, err := u.c.to(u.state(name))
	if err != nil {
		return err
	}
	if !known.regular() {
		if _, err := u.enable([]string{name}, true); err != nil {
			return err
		}
		return u.record(name, file, false)
	}
	links, err := u.closure(file, nil)
	if err != nil {
		return err
	}
	some := false
	for _, l := range links {
		is, err := u.isLink(l.src)
		if err != nil {
			return err
		}
		some = some || is
	}
	return u.record(name, file, some)
}

// record writes down the links of a unit, and makes those that were not made before.
func (u *units) record(name, file string, create bool) error {
	links, err := u.closure(file, nil)
	if err != nil {
		return err
	}
	for _, l := range links {
		entries, err := u.entries(name)
		if err != nil {
			return err
		}
		if !slices.Contains(entries, l.src) {
			entries = append(entries, l.src)
		}
		if err := u.c.write(u.state(name), []byte(strings.Join(entries, "\n")+"\n"), 0o644); err != nil {
			return err
		}
		mark := strings.Replace(l.src, "/etc/systemd/"+u.instance+"/", u.enabled+"/", 1)
		done, err := u.c.to(mark)
		if err != nil {
			return err
		}
		if done.n != nil {
			continue
		}
		if create {
			if err := u.make(l); err != nil {
				return err
			}
		}
		if err := u.c.write(mark, nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (u *units) removeLinks(file string, purge bool) error {
	entries, err := u.entries(file)
	if err != nil {
		return err
	}
	remove := func(name string) error {
		s, err := u.c.at(name)
		if err != nil || s.n == nil {
			return err
		}
		return u.c.r.t.Erase(s.p)
	}
	if purge {
		if err := remove(u.state(file)); err != nil {
			return err
		}
	}
	for _, e := range entries {
		is, err := u.isLink(e)
		if err != nil {
			return err
		}
		if purge || is {
			if err := remove(strings.Replace(e, "/etc/systemd/"+u.instance+"/", u.enabled+"/", 1)); err != nil {
				return err
			}
		}
		if is {
			if err := remove(e); err != nil {
				return err
			}
		}
	}
	all, _, err := u.assignments(file)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a[0] == "also" && a[1] != path.Base(file) {
			p, err := u.find(a[1])
			if err != nil {
				return err
			}
			if err := u.removeLinks(p, purge); err != nil {
				return err
			}
		}
	}
	return nil
}

// tidy removes directories in which nothing is left.
func (u *units) tidy(dirs ...string) error {
	for n, dir := range dirs {
		s, err := u.c.to(dir)
		if err != nil || !s.dir() {
			continue
		}
		err = u.c.walk(s, true, func(s spot) error {
			if !s.dir() || n > 0 && s.p == dir {
				return nil
			}
			names, err := u.c.r.t.ReadDir(s.p)
			if err != nil || len(names) > 0 {
				return err
			}
			return u.c.r.t.Erase(s.p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *units) mask(file string) error {
	p := "/etc/systemd/" + u.instance + "/" + path.Base(file)
	s, err := u.c.to(p)
	if err != nil {
		return err
	}
	at, err := u.c.at(p)
	if err != nil || s.n != nil || at.link() && at.n.Link == "/dev/null" {
		return err
	}
	if err := u.c.r.t.MkdirAll(path.Dir(p), tree.Root); err != nil {
		return err
	}
	if err := u.c.set(p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: "/dev/null"}); err != nil {
		return err
	}
	return u.c.write(u.masked+"/"+path.Base(file), nil, 0o644)
}

func (u *units) unmask(file string) error {
	s, err := u.c.at("/etc/systemd/" + u.instance + "/" + path.Base(file))
	if err != nil || !s.link() || s.n.Link != "/dev/null" {
		return err
	}
	state, err := u.c.at(u.masked + "/" + path.Base(file))
	if err != nil || state.n == nil {
		return err
	}
	return first(u.c.r.t.Erase(s.p), u.c.r.t.Erase(state.p))
}
