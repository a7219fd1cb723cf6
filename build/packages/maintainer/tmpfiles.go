package maintainer

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// tmpfiles is systemd-tmpfiles --create with the configurations that are named (tmpfiles.d(5)).
// What concerns running systems, such as ages and attributes of file systems, has no effect.
func tmpfiles(c *call) (int, error) {
	if !c.has("create") || c.value("root") != "" {
		return 0, errors.New("without --create is not known here: " + instead)
	}
	if len(c.args) == 0 {
		return 0, errors.New("without names is not known here: " + instead)
	}
	var all [][]string
	for _, name := range c.args {
		for _, dir := range []string{"/etc", "/run", "/usr/local/lib", "/usr/lib"} {
			text, there, err := c.read(dir + "/tmpfiles.d/" + name)
			if err != nil {
				return 0, err
			}
			if !there {
				continue
			}
			for _, line := range lines(text) {
				if f := strings.Fields(line); len(f) > 1 && f[0][0] != '#' {
					all = append(all, f)
				}
			}
			break
		}
	}
	slices.SortStableFunc(all, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
	status := 0
	for _, f := range all {
		var unknown *noAccountError
		switch err := c.tmpfile(f); {
		case errors.As(err, &unknown):
			c.Err.Printf("Failed to resolve user or group of %s\n", f[1])
			status = 65
		case err != nil:
			return 0, err
		}
	}
	return status, nil
}

// tmpfile carries out one line: TYPE PATH MODE USER GROUP AGE ARGUMENT.
func (c *call) tmpfile(f []string) error {
	for len(f) < 7 {
		f = append(f, "-")
	}
	kind, name, mode := f[0], f[1], f[2]
	if strings.ContainsAny(kind, "!^") { // at boot only, or with a credential of the machine
		return nil
	}
	kind = strings.TrimRight(kind, "-=~$")
	if strings.HasPrefix(name, "/proc") || strings.HasPrefix(name, "/sys") || strings.HasPrefix(name, "/dev") {
		return nil
	}
	for _, unknown := range []string{"%m", "%b", "%v", "%H", "%l"} { // of a machine that runs
		if strings.Contains(name, unknown) {
			return nil
		}
	}
	if _, err := c.owner(tmpfileOwners(f[3], f[4])); err != nil {
		return err
	}
	if strings.Contains(name, "%") {
		return fmt.Errorf("finds %s, whose %% is not known here: %s", name, instead)
	}
	s, err := c.at(name)
	if err != nil {
		return err
	}
	switch kind {
	case "d", "D", "v", "q", "Q":
		if err := c.mkdirAll(path.Dir(name)); err != nil {
			return err
		}
		if s, err = c.to(name); err != nil {
			return err
		}
		n := s.n
		if n == nil {
			n = &tree.Node{Kind: layer.Dir, Mode: 0o755}
		}
		return c.tmpfileOwner(s.p, n, mode, f[3], f[4])
	case "f", "F", "f+":
		return c.tmpfileText(f, kind, s)
	case "L", "L+", "L?":
		if s.n != nil && kind != "L+" || f[6] == "-" {
			return nil
		}
		return first(c.mkdirAll(path.Dir(name)),
			c.set(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: f[6]}))
	case "z", "Z", "m":
		if strings.ContainsAny(name, "*?[") || s.n == nil {
			return nil
		}
		return c.tmpfileOwner(s.p, s.n, mode, f[3], f[4])
	case "x", "X", "e", "r", "R", "a", "A", "a+", "A+", "h", "H", "t", "T", "w", "w+", "c", "b", "p", "C", "C+", "p+":
		return nil
	}
	return fmt.Errorf("finds the type %s, which is not known here: %s", kind, instead)
}

// tmpfileOwner sets a file with the mode and owner of a line.
func (c *call) tmpfileOwner(p string, n *tree.Node, mode, user, group string) error {
	k := *n
	if mode = strings.TrimLeft(mode, "~:"); mode != "-" {
		m, err := modechange.Parse(mode)
		if err != nil {
			return err
		}
		k.Mode = m.Apply(n)
	}
	o, err := c.owner(tmpfileOwners(user, group))
	if err != nil {
		return err
	}
	if o.UID >= 0 {
		k.UID = o.UID
	}
	if o.GID >= 0 {
		k.GID = o.GID
	}
	return c.set(p, &k)
}

// tmpfileText makes a file with a text.
func (c *call) tmpfileText(f []string, kind string, s spot) error {
	if s.n != nil && kind == "f" {
		return nil
	}
	text := strings.Join(f[6:], " ")
	if text == "-" {
		text = ""
	}
	if err := c.write(f[1], []byte(text), 0o644); err != nil {
		return err
	}
	s, err := c.to(f[1])
	if err != nil {
		return err
	}
	return c.tmpfileOwner(s.p, s.n, f[2], f[3], f[4])
}

// tmpfileOwners returns the user and group of a line in the form of chown.
func tmpfileOwners(user, group string) string {
	user, group = strings.TrimPrefix(user, ":"), strings.TrimPrefix(group, ":")
	if strings.Trim(user, "-") == "" {
		user = ""
	}
	if strings.Trim(group, "-") == "" {
		return user
	}
	return user + ":" + group
}
