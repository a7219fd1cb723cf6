package maintainer

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// inherit gives a new file the group of a directory with setgid, as the kernel does.
func (c *call) inherit(p string, n *tree.Node) error {
	dir, err := c.r.t.Lstat(path.Dir(p))
	if err != nil || dir == nil || dir.Mode&fs.ModeSetgid == 0 {
		return err
	}
	n.GID = dir.GID
	if n.Kind == layer.Dir {
		n.Mode |= fs.ModeSetgid
	}
	return nil
}

func mkdir(c *call) (int, error) {
	status := 0
	for _, name := range c.args {
		if c.has("p") {
			if err := c.mkdirAll(path.Dir(strings.TrimRight(c.Shell.Path(name), "/"))); err != nil {
				return c.fail("cannot create directory ‘%s’: %v", name, err)
			}
		}
		s, err := c.at(name)
		if err != nil {
			return 0, err
		}
		if s.n != nil {
			if c.has("p") {
				if s, err = c.to(name); err != nil || s.dir() {
					continue
				}
			}
			status, _ = c.fail("cannot create directory ‘%s’: File exists", name)
			continue
		}
		above, err := c.parent(s)
		if err != nil {
			return 0, err
		}
		if !above {
			status, _ = c.fail("cannot create directory ‘%s’: No such file or directory", name)
			continue
		}
		n := &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ modechange.Mode(c.Shell.Umask)}
		if err := c.inherit(s.p, n); err != nil {
			return 0, err
		}
		if c.has("m") {
			m, err := modechange.Parse(c.value("m"))
			if err != nil {
				return 0, err
			}
			n.Mode = m.Made(n.Mode & fs.ModeSetgid)
		}
		if err := c.set(s.p, n); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// mkdirAll makes a directory and those above it.
func (c *call) mkdirAll(name string) error {
	s, err := c.to(name)
	switch {
	case err != nil:
		return err
	case s.dir():
		return nil
	case s.n != nil:
		return errors.New("Not a directory") //nolint:staticcheck // as the real one prints it
	}
	if err := c.mkdirAll(path.Dir(s.p)); err != nil {
		return err
	}
	n := &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ modechange.Mode(c.Shell.Umask)}
	return first(c.inherit(s.p, n), c.set(s.p, n))
}

func touch(c *call) (int, error) {
	status := 0
	for _, name := range c.args {
		s, err := c.to(name)
		if c.has("h") {
			s, err = c.at(name)
		}
		if err != nil {
			return 0, err
		}
		if s.n != nil || c.has("c", "h") {
			continue
		}
		above, err := c.parent(s)
		if err != nil {
			return 0, err
		}
		if !above {
			status, _ = c.fail("cannot touch '%s': No such file or directory", name)
			continue
		}
		if err := c.write(s.p, nil, 0o666&^modechange.Mode(c.Shell.Umask)); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// ln makes links: symbolic ones, and hard ones to regular files.
func ln(c *call) (int, error) {
	args := c.args
	dir := c.value("t")
	if dir == "" {
		if len(args) == 1 {
			args = append(args, ".")
		}
		dir, args = args[len(args)-1], args[:len(args)-1]
		s, err := c.to(dir)
		if c.has("n", "T") {
			s, err = c.at(dir)
		}
		if err != nil {
			return 0, err
		}
		if !s.dir() || c.has("T") {
			if len(args) > 1 {
				return c.fail("target '%s' is not a directory", dir)
			}
			return c.link(args[0], dir)
		}
	}
	status := 0
	for _, target := range args {
		one, err := c.link(target, strings.TrimSuffix(dir, "/")+"/"+path.Base(target))
		if err != nil {
			return 0, err
		}
		status = max(status, one)
	}
	return status, nil
}

func (c *call) link(target, name string) (int, error) {
	s, err := c.at(name)
	if err != nil {
		return 0, err
	}
	if s.dir() {
		return c.fail("%s: cannot overwrite directory", name)
	}
	if s.n != nil && !c.has("f") {
		return c.fail("failed to create link '%s': File exists", name)
	}
	above, err := c.parent(s)
	if err != nil {
		return 0, err
	}
	if !above {
		return c.fail("failed to create link '%s': No such file or directory", name)
	}
	if c.has("r") {
		return 0, errors.New("-r is not known here: " + instead)
	}
	if c.has("s") {
		return 0, c.set(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: target})
	}
	from, err := c.at(target)
	if err != nil {
		return 0, err
	}
	if from.n == nil || from.dir() {
		return c.fail("failed to access '%s': No such file or directory", target)
	}
	k := *from.n
	k.Hard = true
	if err := c.change(from, &k); err != nil {
		return 0, err
	}
	return 0, c.set(s.p, &k)
}

// install copies files with a mode and an owner, or makes directories.
func install(c *call) (int, error) {
	mode := fs.FileMode(0o755)
	if c.has("m") {
		m, err := modechange.Parse(c.value("m"))
		if err != nil {
			return 0, err
		}
		bits, _ := m.Adjust(0, c.has("d"))
		mode = modechange.Mode(bits)
	}
	spec := c.value("o")
	if c.has("g") {
		spec += ":" + c.value("g")
	}
	o, err := c.owner(spec)
	if err != nil {
		var unknown *noAccountError
		if errors.As(err, &unknown) {
			return c.fail("%v", err)
		}
		return 0, err
	}
	if c.has("d") {
		return c.installDirectories(mode, o)
	}
	return c.copies(c.args, func(from, to spot) (int, error) {
		if !from.regular() {
			return c.fail("omitting '%s'", from.p)
		}
		k := *from.n
		k.Mode, k.UID, k.GID, k.Hard, k.Capability = mode, max(o.UID, 0), max(o.GID, 0), false, ""
		return 0, c.set(to.p, &k)
	}, c.has("D"))
}

func (c *call) installDirectories(mode fs.FileMode, o tree.Owner) (int, error) {
	for _, name := range c.args {
		if err := c.mkdirAll(c.Shell.Path(name)); err != nil {
			return c.fail("cannot create directory '%s': %v", name, err)
		}
		s, err := c.to(name)
		if err != nil {
			return 0, err
		}
		k := *s.n
		k.Mode = mode
		if o.UID >= 0 {
			k.UID = o.UID
		}
		if o.GID >= 0 {
			k.GID = o.GID
		}
		if err := c.set(s.p, &k); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
