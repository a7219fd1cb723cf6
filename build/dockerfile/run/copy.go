package run

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// sources separates the operands of cp and mv: what is copied, and where to. into means that the
// destination is a directory that takes the sources under their own names.
func (r *runner) sources(o options, args []string) (from []string, dest string, into bool, err error) {
	from, dest = args, o['t']
	if !o.has("t") {
		if len(args) < 2 {
			return nil, "", false, fmt.Errorf("there is no destination after %s", args[0])
		}
		from, dest = args[:len(args)-1], args[len(args)-1]
	}
	if o.has("T") {
		if o.has("t") || len(from) > 1 {
			return nil, "", false, fmt.Errorf("-T is for one source and a destination")
		}
		return from, dest, false, nil
	}
	s, err := r.find(dest, true)
	if err != nil {
		return nil, "", false, err
	}
	into = s.n != nil && s.n.Kind == layer.Dir
	if !into && (len(from) > 1 || o.has("t")) {
		return nil, "", false, fmt.Errorf("%s is not a directory", dest)
	}
	return from, dest, into, nil
}

// under is the destination of a source: dest, or its name in dest.
func under(source, dest string, into bool) (string, error) {
	base := path.Base(strings.TrimRight(source, "/"))
	switch {
	case !into:
		return dest, nil
	case strings.Trim(source, "/") == "" || base == "..":
		return "", fmt.Errorf("%s has no name of its own: name the directory", source)
	}
	return strings.TrimRight(dest, "/") + "/" + base, nil
}

const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// copyTree is cp for its sources.
type copyTree struct {
	*runner
	recursive, keep bool            // keep modes and owners
	links           bool            // copy links as links
	follow          bool            // follow links in directories, too
	made            map[string]bool // files that the command has made
}

func cp(r *runner, o options, args []string) error {
	c := &copyTree{runner: r, made: map[string]bool{}, recursive: o.has("rRa"), keep: o.has("ap")}
	c.links = o.has("adP") || c.recursive && !o.has("L")
	if c.follow = o.has("L"); c.follow && o.has("adP") {
		return fmt.Errorf("-L and -a, -d or -P contradict each other: leave one out")
	}
	from, dest, into, err := r.sources(o, args)
	if err != nil {
		return err
	}
	var dirs []string             // that were copied
	named := map[[2]string]bool{} // sources, of files as they are written, and destinations
	for _, source := range from {
		s, err := r.spot(source, !c.links)
		if err != nil {
			return err
		}
		if s.n.Kind == layer.Dir && !c.recursive {
			return mistake.At(source, "RUN cp: %s is a directory: use cp -r", source)
		}
		name, err := under(source, dest, into)
		if err != nil {
			return err
		}
		d, err := r.find(name, false)
		if err != nil {
			return err
		}
		key := repeated(s, d)
		if named[key] { // GNU's cp warns, and copies it once
			continue
		}
		named[key] = true
		for _, other := range dirs {
			if tree.Within(s.p, other) || tree.Within(other, s.p) {
				return fmt.Errorf("%s is copied twice: name it once", source)
			}
		}
		if s.n.Kind == layer.Dir {
			dirs = append(dirs, s.p)
		}
		if o.has("T") || d.slash && d.n == nil {
			if err := r.itself(name); err != nil {
				return err
			}
		}
		if d.slash && s.n.Kind != layer.Dir {
			return fmt.Errorf("%s is not a directory", dest)
		}
		if s.n.Kind == layer.Dir && (d.p == s.p || strings.HasPrefix(d.p, strings.TrimSuffix(s.p, "/")+"/")) {
			return fmt.Errorf("%s cannot be copied into itself, %s", source, name)
		}
		if err := c.copy(s.p, s.n, d.p); err != nil {
			return err
		}
	}
	return nil
}

// repeated returns what two sources of a cp have in common of which GNU's copies one: the name of a
// file as it is written, or the directory.
func repeated(s, d spot) [2]string {
	if s.n.Kind == layer.Dir {
		return [2]string{s.p, d.p}
	}
	return [2]string{s.name, d.p}
}

// copy copies a file, or a directory with its contents, to exactly dest.
func (c *copyTree) copy(from string, n *tree.Node, dest string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if n.Odd != "" {
		return fmt.Errorf("%s is %s, which a layer cannot contain here", from, n.Odd)
	}
	there, err := c.t.Lstat(dest)
	if err != nil {
		return err
	}
	if err := c.replaces(from, n, dest, there); err != nil {
		return err
	}
	switch {
	case n.Kind == layer.Dir:
		return c.directory(from, n, dest)
	case there != nil && there.Kind == layer.Dir:
		return fmt.Errorf("%s is a directory and cannot be replaced by the file %s", dest, from)
	case n.Kind == layer.Symlink:
		return c.link(from, n, dest)
	}
	if dest, err = tree.Follow(c.t, dest); err != nil {
		return err
	}
	if dest == from {
		return fmt.Errorf("%s and %s are one file", from, dest)
	}
	if there != nil && there.Kind == layer.Symlink {
		if there, err = c.t.Lstat(dest); err != nil {
			return err
		}
		if there == nil {
			return fmt.Errorf("%s is a symbolic link to nothing, which cp does not write through", dest)
		}
		if there.Kind != layer.Regular {
			return fmt.Errorf("%s is a directory and cannot be replaced by the file %s", dest, from)
		}
	}
	k := *n
	switch {
	case c.keep:
		return c.place(dest, &k, true)
	case there != nil:
		k.Mode, k.UID, k.GID = there.Mode, there.UID, there.GID
		return c.place(dest, &k, true)
	}
	k.Mode, k.UID, k.GID = n.Mode.Perm()&^umask, 0, 0
	return c.place(dest, &k, false)
}

// link copies a link as a link.
func (c *copyTree) link(from string, n *tree.Node, dest string) error {
	to, err := tree.Follow(c.t, from)
	if err != nil {
		return err
	}
	if dest == from || to == dest {
		return fmt.Errorf("%s and %s are one file", from, dest)
	}
	k := *n
	if !c.keep {
		k.UID, k.GID = 0, 0
	}
	return c.place(dest, &k, c.keep)
}

// replaces refuses what a copy cannot replace, or only in a way that differs.
func (c *copyTree) replaces(from string, n *tree.Node, dest string, there *tree.Node) error {
	switch {
	case c.made[dest] && n.Kind != layer.Dir:
		return fmt.Errorf("%s was made by the same command, and is not replaced by %s", dest, from)
	case c.keep && c.made != nil && there != nil && there.Mode&special&^n.Mode != 0:
		return fmt.Errorf("%s has setuid, setgid or sticky, which stay or go by the file system when %s is copied to it: remove it before", dest, from)
	case c.made != nil:
		c.made[dest] = true
	}
	return nil
}

// place puts a node, as it is or as a new file.
func (c *copyTree) place(p string, n *tree.Node, exactly bool) error {
	dir, err := c.t.Lstat(path.Dir(p))
	if err != nil {
		return err
	}
	if exactly && dir != nil && dir.Kind == layer.Dir {
		return c.t.Set(p, n)
	}
	return c.make(p, n)
}

func (c *copyTree) directory(from string, n *tree.Node, dest string) error {
	there, err := c.t.Lstat(dest)
	if err != nil {
		return err
	}
	k := *n
	switch {
	case there != nil && there.Kind != layer.Dir:
		return fmt.Errorf("%s is a file and cannot be replaced by the directory %s", dest, from)
	case c.keep && there == nil && c.made != nil:
		dir, err := c.t.Lstat(path.Dir(dest))
		if err != nil {
			return err
		}
		if dir != nil && dir.Mode&fs.ModeSetgid != 0 && k.Mode&special == 0 {
			return fmt.Errorf("%s is made in a directory with the setgid bit, which stays or goes by the file system when the mode is kept: use chmod after cp -r", dest)
		}
		if err := c.place(dest, &k, true); err != nil {
			return err
		}
	case c.keep:
		err = c.place(dest, &k, true)
	case there == nil:
		k.Mode, k.UID, k.GID = n.Mode&(fs.ModePerm|fs.ModeSticky)&^umask, 0, 0
		err = c.place(dest, &k, false)
	}
	if err != nil {
		return err
	}
	names, err := c.list(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(from, name)
		child, err := c.t.Lstat(p)
		if err != nil {
			return err
		}
		if child != nil && c.follow && child.Kind == layer.Symlink {
			if p, child, err = tree.Resolve(c.t, p); err != nil {
				return err
			}
		}
		if child == nil {
			return fmt.Errorf("%s is a symbolic link to nothing", path.Join(from, name))
		}
		if c.follow && strings.HasPrefix(from+"/", p+"/") {
			return fmt.Errorf("%s leads back to a directory above", path.Join(from, name))
		}
		if err := c.copy(p, child, path.Join(dest, name)); err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a directory, all of which must be known.
func (r *runner) list(p string) ([]string, error) {
	if err := r.mounted(p); err != nil {
		return nil, err
	}
	_, _, mounted := r.t.Mounted(p)
	if r.unknown(p) && !mounted && (!r.s.Toolchain || !r.s.Made(p)) {
		if !r.lenient {
			return nil, fmt.Errorf("%s: %w", p, errUnknown)
		}
		r.left = true
	}
	return r.t.ReadDir(p)
}
