package maintainer

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// units are the units of systemd of one kind: system or user.
type units struct {
	c        *call
	instance string
	enabled  string // where deb-systemd-helper keeps its state
	masked   string
}

func (c *call) units() *units {
	instance, state := "system", "/var/lib/systemd/deb-systemd-helper-"
	if c.has("user", "global") {
		instance, state = "user", "/var/lib/systemd/deb-systemd-user-helper-"
	}
	return &units{c, instance, state + "enabled", state + "masked"}
}

// link is one that enables a unit.
type link struct{ src, dest string }

// find returns the path of a unit's file, or its name where there is none.
func (u *units) find(name string) (string, error) {
	for _, dir := range []string{"/etc/systemd/", "/lib/systemd/", "/usr/lib/systemd/"} {
		p := dir + u.instance + "/" + name
		s, err := u.c.to(p)
		if err != nil {
			return "", err
		}
		if s.regular() {
			return p, nil
		}
	}
	return name, nil
}

// assignments returns the values of some keys in a unit's file.
func (u *units) assignments(file string) ([][2]string, bool, error) {
	text, there, err := u.c.read(file)
	if err != nil || !there {
		return nil, there, err
	}
	var all [][2]string
	for _, line := range lines(text) {
		key, value, ok := strings.Cut(strings.TrimLeft(line, " \t"), "=")
		if ok && value != "" {
			all = append(all, [2]string{strings.ToLower(key), value})
		}
	}
	return all, true, nil
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// closure returns the links that enable a unit and those that it names with Also=.
func (u *units) closure(file string, visited []string) ([]link, error) {
	all, there, err := u.assignments(file)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, errNoUnit
	}
	unit := path.Base(file)
	wanted := unit
	var links []link
	var dirs []string
	for _, a := range all {
		key := a[0]
		for _, value := range strings.Fields(a[1]) {
			value = unquote(value)
			switch key {
			case "wantedby":
				dirs = append(dirs, "/etc/systemd/"+u.instance+"/"+value+".wants/")
			case "requiredby":
				dirs = append(dirs, "/etc/systemd/"+u.instance+"/"+value+".requires/")
			case "alias":
				if value != unit {
					links = append(links, link{"/etc/systemd/" + u.instance + "/" + value, file})
				}
			case "also":
				if value == unit || slices.Contains(visited, value) {
					continue
				}
				visited = append(visited, value)
				p, err := u.find(value)
				if err != nil {
					return nil, err
				}
				more, err := u.closure(p, visited)
				if err != nil {
					return nil, err
				}
				links = append(links, more...)
			case "defaultinstance":
				if before, after, ok := strings.Cut(unit, "@."); ok {
					wanted = before + "@" + value + "." + after
				}
			}
		}
	}
	for _, dir := range dirs {
		links = append(links, link{dir + wanted, file})
	}
	return links, nil
}

var errNoUnit = errors.New("finds no file of the unit")

// isLink reports whether a symbolic link has a name.
func (u *units) isLink(name string) (bool, error) {
	s, err := u.c.at(name)
	return s.link(), err
}

// make makes a link, with the directories above it.
func (u *units) make(l link) error {
	if err := u.c.r.t.MkdirAll(path.Dir(l.src), tree.Root); err != nil {
		return err
	}
	s, err := u.c.at(l.src)
	if err != nil || s.n != nil {
		return err
	}
	return u.c.set(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: l.dest})
}

// preset reports whether the presets of systemd enable a unit, which they do unless they say no.
func (u *units) preset(name string) (bool, error) {
	found := map[string]string{}
	for _, dir := range []string{"/usr/lib/systemd/", "/lib/systemd/", "/run/systemd/", "/etc/systemd/"} {
		dir += u.instance + "-preset"
		s, err := u.c.to(dir)
		if err != nil || !s.dir() {
			continue
		}
		names, err := u.c.r.t.ReadDir(s.p)
		if err != nil {
			return false, err
		}
		for _, n := range names {
			if strings.HasSuffix(n, ".preset") {
				found[n] = dir + "/" + n
			}
		}
	}
	for _, n := range sortedKeys(found) {
		text, _, err := u.c.read(found[n])
		if err != nil {
			return false, err
		}
		for _, line := range lines(text) {
			f := strings.Fields(line)
			if len(f) > 1 && (f[0] == "enable" || f[0] == "disable") && matches(f[1], name) {
				return f[0] == "enable", nil
			}
		}
	}
	return true, nil
}

// enable makes the links of units, as systemctl does.
func (u *units) enable(names []string, preset bool) (int, error) {
	status := 0
	for _, name := range names {
		if !strings.Contains(name, ".") {
			name += ".service"
		}
		if preset {
			if on, err := u.preset(name); err != nil || !on {
				return 0, err
			}
		}
		file, err := u.find(name)
		if err != nil {
			return 0, err
		}
		template, instance := file, ""
		if s, err := u.c.to(file); err == nil && s.n == nil {
			if before, after, ok := strings.Cut(name, "@"); ok && strings.Contains(after, ".") {
				instance = after[:strings.LastIndexByte(after, '.')]
				if template, err = u.find(before + "@" + after[len(instance):]); err != nil {
					return 0, err
				}
			}
		}
		links, err := u.closure(template, []string{name})
		if errors.Is(err, errNoUnit) {
			status, _ = u.c.fail("Failed to enable unit, unit %s does not exist.", name)
			continue
		}
		if err != nil {
			return 0, err
		}
		for _, l := range links {
			if instance != "" {
				l.src = path.Dir(l.src) + "/" + name
			}
			if rest, ok := strings.CutPrefix(l.dest, "/lib/systemd/user/"); ok { // where it looks for these
				l.dest = "/usr/lib/systemd/user/" + rest
			}
			if err := u.make(l); err != nil {
				return 0, err
			}
		}
	}
	return status, nil
}
