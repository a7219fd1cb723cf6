package maintainer

import (
	"errors"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// copies finds out where each of some files goes, and calls do with it.
func (c *call) copies(args []string, do func(from, to spot) (int, error), parents bool) (int, error) {
	dir := c.value("t")
	one := dir == ""
	if one {
		if len(args) < 2 {
			return c.fail("missing destination file operand")
		}
		dir, args = args[len(args)-1], args[:len(args)-1]
	}
	if parents && one {
		if err := c.mkdirAll(path.Dir(c.Shell.Path(dir))); err != nil {
			return c.fail("%v", err)
		}
	}
	into, err := c.to(dir)
	if err != nil {
		return 0, err
	}
	if !into.dir() && (len(args) > 1 || !one || strings.HasSuffix(dir, "/") && into.n != nil) {
		return c.fail("target '%s' is not a directory", dir)
	}
	status := 0
	for _, name := range args {
		from, err := c.at(name)
		if err != nil {
			return 0, err
		}
		if name == "/dev/null" {
			from.n = empty()
		}
		if from.n == nil {
			status, _ = c.fail("cannot stat '%s': No such file or directory", name)
			continue
		}
		to := spot{into.p, into.n}
		if into.dir() && !c.has("T") {
			to.p = path.Join(into.p, path.Base(path.Clean(name)))
		} else if to, err = c.at(dir); err != nil {
			return 0, err
		}
		if to.n, err = c.r.t.Lstat(to.p); err != nil {
			return 0, err
		}
		above, err := c.parent(to)
		if err != nil {
			return 0, err
		}
		if !above {
			status, _ = c.fail("cannot create '%s': No such file or directory", dir)
			continue
		}
		code, err := do(from, to)
		if err != nil {
			return 0, err
		}
		status = max(status, code)
	}
	return status, nil
}

// empty is what is copied of /dev/null.
func empty() *tree.Node {
	content := layer.Bytes(nil)
	return &tree.Node{Mode: 0o666, Content: func() (layer.Content, error) { return content, nil }}
}

func cp(c *call) (int, error) {
	for _, p := range c.o["preserve"] {
		if strings.Trim(p, "abcdefghijklmnopqrstuvwxyz,") != "" {
			return 0, unknownOption("--preserve=" + p)
		}
	}
	if c.has("l", "s", "b", "backup", "x") {
		return 0, errors.New("has an option that is not known here: " + instead)
	}
	return c.copies(c.args, func(from, to spot) (int, error) { return c.copyTo(from, to, true) }, false)
}

// copyTo copies one file, or with -r a directory.
func (c *call) copyTo(from, to spot, top bool) (int, error) {
	keepLinks := c.has("a", "d", "P") || c.has("r", "R") && !c.has("L", "H") || c.has("r", "R") && c.has("H") && !top
	if from.link() && !keepLinks {
		at, n, err := tree.Resolve(c.r.t, from.p)
		if err != nil {
			return 0, err
		}
		if n == nil {
			return c.fail("cannot stat '%s': No such file or directory", from.p)
		}
		from = spot{at, n}
	}
	if from.dir() {
		return c.copyDirectory(from, to)
	}
	if from.n.Odd != "" {
		return 0, errors.New("copies a special file: " + instead)
	}
	if to.dir() {
		return c.fail("cannot overwrite directory '%s' with non-directory", to.p)
	}
	if to.n != nil && c.has("n") {
		return 0, nil
	}
	if to.link() && !from.link() && !c.has("remove-destination") {
		at, n, err := tree.Resolve(c.r.t, to.p)
		if err != nil {
			return 0, err
		}
		to = spot{at, n}
	}
	if to.n == from.n && to.p == from.p {
		return c.fail("'%s' and '%s' are the same file", from.p, to.p)
	}
	return 0, c.set(to.p, c.copied(from.n, to.n))
}

// copied returns what cp puts in the place of a file that may be there.
func (c *call) copied(from, old *tree.Node) *tree.Node {
	k := *from
	k.Hard = false
	if c.has("a", "p", "preserve") {
		if !c.has("a") {
			k.Capability = ""
		}
		return &k
	}
	k.Capability, k.UID, k.GID = "", 0, 0
	k.Mode = from.Mode.Perm() &^ modechange.Mode(c.Shell.Umask)
	if old != nil && old.Kind == layer.Regular && from.Kind == layer.Regular && !c.has("remove-destination") {
		k.Mode, k.UID, k.GID = old.Mode, old.UID, old.GID
	}
	if k.Kind == layer.Symlink {
		k.Mode = 0o777
	}
	return &k
}

func (c *call) copyDirectory(from, to spot) (int, error) {
	if !c.has("a", "r", "R") {
		return c.fail("-r not specified; omitting directory '%s'", from.p)
	}
	if tree.Within(to.p, from.p) {
		return c.fail("cannot copy a directory, '%s', into itself, '%s'", from.p, to.p)
	}
	if to.n != nil && !to.dir() {
		return c.fail("cannot overwrite non-directory '%s' with directory '%s'", to.p, from.p)
	}
	if to.n == nil {
		if err := c.set(to.p, c.copied(from.n, nil)); err != nil {
			return 0, err
		}
	}
	names, err := c.r.t.ReadDir(from.p)
	if err != nil {
		return 0, err
	}
	status := 0
	for _, name := range names {
		if err := c.ctx.Err(); err != nil {
			return 0, err
		}
		a, err := c.at(path.Join(from.p, name))
		if err != nil {
			return 0, err
		}
		b, err := c.at(path.Join(to.p, name))
		if err != nil {
			return 0, err
		}
		if a.n == nil {
			continue
		}
		code, err := c.copyTo(a, b, false)
		if err != nil {
			return 0, err
		}
		status = max(status, code)
	}
	return status, nil
}

func mv(c *call) (int, error) {
	if c.has("b", "backup", "u") {
		return 0, errors.New("has an option that is not known here: " + instead)
	}
	return c.copies(c.args, func(from, to spot) (int, error) {
		switch {
		case to.n != nil && c.has("n") || to.p == from.p:
			return 0, nil
		case to.dir() && !from.dir():
			return c.fail("cannot overwrite directory '%s' with non-directory", to.p)
		case to.n != nil && !to.dir() && from.dir():
			return c.fail("cannot overwrite non-directory '%s' with directory '%s'", to.p, from.p)
		case tree.Within(to.p, from.p):
			return c.fail("cannot move '%s' to a subdirectory of itself, '%s'", from.p, to.p)
		case to.dir():
			names, err := c.r.t.ReadDir(to.p)
			if err != nil {
				return 0, err
			}
			if len(names) > 0 {
				return c.fail("cannot move '%s' to '%s': Directory not empty", from.p, to.p)
			}
		}
		return 0, c.rename(from, to.p)
	}, false)
}

// rename moves a file or a directory with everything in it.
func (c *call) rename(from spot, to string) error {
	err := c.walk(from, false, func(s spot) error {
		return c.set(to+strings.TrimPrefix(s.p, from.p), s.n)
	})
	if err != nil {
		return err
	}
	return c.r.t.Erase(from.p)
}

func rm(c *call) (int, error) {
	status := 0
	for _, name := range c.args {
		base := path.Base(name)
		s, err := c.at(name)
		if err != nil {
			return 0, err
		}
		switch {
		case s.n == nil:
			if !c.has("f") {
				status, _ = c.fail("cannot remove '%s': No such file or directory", name)
			}
		case s.p == "/" || base == "." || base == "..":
			status, _ = c.fail("refusing to remove '%s'", name)
		case s.dir() && !c.has("r", "R"):
			status, _ = c.fail("cannot remove '%s': Is a directory", name)
		default:
			if err := c.r.t.Erase(s.p); err != nil {
				return 0, err
			}
		}
	}
	return status, nil
}

func rmdir(c *call) (int, error) {
	status := 0
	for _, name := range c.args {
		for {
			s, err := c.at(name)
			if err != nil {
				return 0, err
			}
			if !s.dir() || s.p == "/" {
				status, _ = c.fail("failed to remove '%s': No such file or directory", name)
				break
			}
			names, err := c.r.t.ReadDir(s.p)
			if err != nil {
				return 0, err
			}
			if len(names) > 0 {
				if !c.has("ignore-fail-on-non-empty") {
					status, _ = c.fail("failed to remove '%s': Directory not empty", name)
				}
				break
			}
			if err := c.r.t.Erase(s.p); err != nil {
				return 0, err
			}
			name = path.Dir(strings.TrimRight(name, "/"))
			if !c.has("p") || name == "." || name == "/" {
				break
			}
		}
	}
	return status, nil
}
