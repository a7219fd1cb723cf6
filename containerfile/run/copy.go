package run

import (
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// transfers calls do for every source of cp, mv and install, with where it goes: a destination that
// is a directory takes the sources under their own names.
func (r *runner) transfers(o options, args []string, do func(source string, dest func() string)) {
	from, dest := args, o["t"]
	if !o.has("t") {
		if len(args) < 2 {
			fail("%s has no destination after it", args[0])
		}
		from, dest = args[:len(args)-1], args[len(args)-1]
	}
	if o.has("T") && (o.has("t") || len(from) > 1) {
		fail("-T is for one source and a destination")
	}
	into := !o.has("T") && r.find(dest, true).is(layer.Dir)
	if !into && (len(from) > 1 || o.has("t")) {
		fail("%s is not a directory", dest)
	}
	for _, source := range from {
		do(source, func() string {
			base := path.Base(strings.TrimRight(source, "/"))
			switch {
			case !into:
				return dest
			case strings.Trim(source, "/") == "" || base == "..":
				fail("%s has no name of its own: name the directory", source)
			}
			return strings.TrimRight(dest, "/") + "/" + base
		})
	}
}

const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// copyTree is cp for its sources.
type copyTree struct {
	*runner
	recursive, keep bool                      // keep modes and owners
	attributes      bool                      // keep capabilities
	links           bool                      // copy links as links
	through         bool                      // follow links in directories, too
	made            map[string]bool           // files that the command has made
	hard            map[*tree.Node]*tree.Node // files with several paths, that stay one
}

func cp(r *runner, o options, args []string) {
	c := &copyTree{runner: r, made: map[string]bool{}}
	if o.has("a", "d") {
		c.hard = map[*tree.Node]*tree.Node{}
	}
	c.attributes = o.has("a")
	c.recursive, c.keep, c.through = o.has("r", "R", "a"), o.has("a", "p"), o.has("L")
	c.links = o.has("a", "d", "P") || c.recursive && !c.through
	if c.through && o.has("a", "d", "P") {
		fail("-L and -a, -d or -P contradict each other: leave one out")
	}
	var dirs []string             // that were copied
	named := map[[2]string]bool{} // sources, of files as they are written, and destinations
	r.transfers(o, args, func(source string, to func() string) {
		s := r.existing(source, !c.links)
		dir := s.is(layer.Dir)
		if dir && !c.recursive {
			failAt(source, "RUN cp: %s is a directory: use cp -r", source)
		}
		name := to()
		d := r.find(name, false)
		key := [2]string{s.name, d.p}
		if dir {
			key[0] = s.p
		}
		if named[key] { // GNU's cp warns, and copies it once
			return
		}
		named[key] = true
		for _, other := range dirs {
			if tree.Within(s.p, other) || tree.Within(other, s.p) {
				fail("%s is copied twice: name it once", source)
			}
		}
		if dir {
			dirs = append(dirs, s.p)
		}
		if o.has("T") || d.slash && d.n == nil {
			r.itself(name)
		}
		switch {
		case d.slash && !dir:
			fail("%s is not a directory", name)
		case dir && tree.Within(d.p, s.p):
			fail("%s cannot be copied into itself, %s", source, name)
		}
		c.copy(s.p, s.n, d.p)
	})
}

// copy copies a file, or a directory with its contents, to exactly dest.
func (c *copyTree) copy(from string, n *tree.Node, dest string) {
	check(c.ctx.Err())
	expressible(from, n)
	there := c.lstat(dest)
	c.replaces(from, n, dest, there)
	switch {
	case n.Kind == layer.Dir:
		c.contents(from, n, dest)
		return
	case there != nil && there.Kind == layer.Dir:
		fail("%s is a directory and cannot be replaced by the file %s", dest, from)
	case n.Kind == layer.Symlink:
		c.link(from, n, dest)
		return
	}
	if dest = c.follow(dest); dest == from {
		fail("%s and %s are one file", from, dest)
	}
	if there != nil && there.Kind == layer.Symlink {
		switch there = c.lstat(dest); {
		case there == nil:
			fail("%s is a symbolic link to nothing, which cp does not write through", dest)
		case there.Kind != layer.Regular:
			fail("%s is a directory and cannot be replaced by the file %s", dest, from)
		}
	}
	if k := c.hard[n]; k != nil {
		c.place(dest, k)
		return
	}
	k := *n
	if k.Hard = n.Hard && c.hard != nil; k.Hard {
		c.hard[n] = &k
	}
	if !c.attributes {
		k.Capability = ""
	}
	switch {
	case c.keep && there == nil:
		c.place(dest, &k)
	case c.keep:
		check(c.t.Change(dest, &k))
	case there != nil:
		k.Mode, k.UID, k.GID = there.Mode, there.UID, there.GID
		check(c.t.Change(dest, &k))
	default:
		k.Mode, k.UID, k.GID = n.Mode.Perm()&^umask, 0, 0
		c.make(dest, &k)
	}
}

func (c *copyTree) link(from string, n *tree.Node, dest string) {
	if to := c.follow(from); dest == from || to == dest {
		fail("%s and %s are one file", from, dest)
	}
	if k := *n; c.keep {
		c.place(dest, &k)
	} else {
		k.UID, k.GID = 0, 0
		c.make(dest, &k)
	}
}

// replaces refuses what a copy cannot replace, or only in a way that differs.
func (c *copyTree) replaces(from string, n *tree.Node, dest string, there *tree.Node) {
	switch {
	case c.made[dest] && n.Kind != layer.Dir:
		fail("%s was made by the same command, and is not replaced by %s", dest, from)
	case c.keep && c.made != nil && there != nil && there.Mode&special&^n.Mode != 0:
		fail("%s has setuid, setgid or sticky, "+
			"which stay or go by the file system when %s is copied to it: remove it before", dest, from)
	case c.made != nil:
		c.made[dest] = true
	}
}

// place puts a file as it is, and not with the group of its directory.
func (r *runner) place(p string, n *tree.Node) {
	if dir := r.lstat(path.Dir(p)); dir != nil && dir.Kind == layer.Dir {
		r.set(p, n)
		return
	}
	r.make(p, n)
}

func (c *copyTree) contents(from string, n *tree.Node, dest string) {
	there := c.lstat(dest)
	k := *n
	switch {
	case there != nil && there.Kind != layer.Dir:
		fail("%s is a file and cannot be replaced by the directory %s", dest, from)
	case c.keep:
		dir := c.lstat(path.Dir(dest))
		if there == nil && c.made != nil && dir != nil && dir.Mode&fs.ModeSetgid != 0 && k.Mode&special == 0 {
			fail("%s is made in a directory with the setgid bit, which stays or goes by the file system when the mode "+
				"is kept: use chmod after cp -r", dest)
		}
		c.place(dest, &k)
	case there == nil:
		k.Mode, k.UID, k.GID = n.Mode&(fs.ModePerm|fs.ModeSticky)&^umask, 0, 0
		c.make(dest, &k)
	}
	c.children(from, func(at string, child *tree.Node) {
		p := at
		if child != nil && c.through && child.Kind == layer.Symlink {
			p = c.follow(at)
			child = c.lstat(p)
		}
		if child == nil {
			fail("%s is a symbolic link to nothing", at)
		}
		if c.through && strings.HasPrefix(from+"/", p+"/") {
			fail("%s leads back to a directory above", at)
		}
		c.copy(p, child, path.Join(dest, path.Base(at)))
	})
}
