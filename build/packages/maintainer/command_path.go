package maintainer

import (
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

func dirname(c *call) (int, error) {
	var out []string
	for _, name := range c.args {
		name = strings.TrimRight(name, "/")
		dir := path.Dir(name)
		if n := strings.LastIndexByte(name, '/'); n > 0 {
			dir = strings.TrimRight(name[:n], "/")
		}
		if name == "" || dir == "" {
			dir = "/"
		}
		out = append(out, dir)
	}
	return c.printLines(out, 0, nil)
}

func basename(c *call) (int, error) {
	names, suffix := c.args[:1], ""
	switch {
	case c.has("a", "s"):
		names, suffix = c.args, c.value("s")
	case len(c.args) > 1:
		suffix = c.args[1]
	}
	var out []string
	for _, name := range names {
		base := path.Base(strings.TrimRight(name, "/"))
		if name != "" && strings.Trim(name, "/") == "" {
			base = "/"
		}
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		out = append(out, base)
	}
	return c.printLines(out, 0, nil)
}

// readlink prints where links lead.
func readlink(c *call) (int, error) {
	end := "\n"
	if c.has("n") {
		end = ""
	}
	status := 0
	for _, name := range c.args {
		s, err := c.at(name)
		if err != nil {
			return 0, err
		}
		if !c.has("f", "e", "m") {
			if !s.link() {
				status = 1
				continue
			}
			if _, err := c.print(s.n.Link + end); err != nil {
				return 0, err
			}
			continue
		}
		p, ok, err := c.canonical(name, c.has("e"), c.has("m"))
		if err != nil {
			return 0, err
		}
		if !ok {
			status = 1
			continue
		}
		if _, err := c.print(p + end); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// canonical returns the path that a name leads to. Its last part may be missing, unless it must
// exist; with missing, any part may.
func (c *call) canonical(name string, exist, missing bool) (string, bool, error) {
	if name == "" {
		return "", false, nil
	}
	s, err := c.to(name)
	if err != nil {
		return "", false, err
	}
	if s.n == nil && !missing {
		above, err := c.parent(s)
		return s.p, !exist && above, err
	}
	return s.p, true, nil
}

func realpath(c *call) (int, error) {
	status := 0
	for _, name := range c.args {
		if c.has("s") {
			if _, err := c.print(path.Clean(c.Shell.Path(name)) + "\n"); err != nil {
				return 0, err
			}
			continue
		}
		p, ok, err := c.canonical(name, c.has("e"), c.has("m"))
		if err != nil {
			return 0, err
		}
		if !ok {
			if status = 1; !c.has("q") {
				c.Err.Printf("%s: %s: No such file or directory\n", c.Args[0], name)
			}
			continue
		}
		if _, err := c.print(p + "\n"); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// mktemp makes a file or directory whose name is a number, so that every run has the same.
func mktemp(c *call) (int, error) {
	template := "tmp.XXXXXXXXXX"
	dir := "/tmp"
	if t := c.Shell.Getenv("TMPDIR"); t != "" {
		dir = t
	}
	if len(c.args) > 0 {
		if template = c.args[0]; !c.has("t", "p", "tmpdir") {
			dir = ""
		}
	}
	if d := c.value("p") + c.value("tmpdir"); d != "" {
		dir = d
	}
	stem := strings.TrimRight(template, "X")
	if len(template)-len(stem) < 3 {
		return c.fail("too few X's in template ‘%s’", template)
	}
	serial := strconv.Itoa(c.r.m.Serial())
	name := stem + strings.Repeat("0", max(len(template)-len(stem)-len(serial), 0)) + serial + c.value("suffix")
	if dir != "" {
		name = strings.TrimSuffix(dir, "/") + "/" + name
	}
	s, err := c.at(name)
	if err != nil {
		return 0, err
	}
	above, err := c.parent(s)
	if err != nil {
		return 0, err
	}
	if s.n != nil || !above {
		return c.fail("failed to create file via template ‘%s’: No such file or directory", template)
	}
	switch {
	case c.has("u"):
	case c.has("d"):
		err = c.set(s.p, &tree.Node{Kind: layer.Dir, Mode: 0o700})
	default:
		err = c.write(s.p, nil, 0o600)
	}
	if err != nil {
		return 0, err
	}
	return c.print(name + "\n")
}
