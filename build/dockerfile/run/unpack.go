package run

import (
	"archive/tar"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// unpacking is an archive being unpacked into a directory of the tree.
type unpacking struct {
	*runner
	into        string // the directory
	strip       int
	members     []string
	found       []bool // of members
	owners      func(h *tar.Header) (uid, gid int, err error)
	mask        fs.FileMode          // taken from every mode
	modes       map[string]*fileMode // of a zip, by name
	keep        func(p string, there *tree.Node) (bool, error)
	junk        bool            // all files go into one directory
	anonymous   bool            // files get the owner that a new file has
	compression string          // what the file must begin with
	links       map[string]bool // of the archive, which nothing is unpacked through
	directories []placed
}

// placed is a directory of an archive. Its owner and mode come last, as with tar and unzip: until
// then files in it are made as in the directory that is there.
type placed struct {
	p string
	n *tree.Node
}

// archive unpacks a file. zipped means that it may be a zip.
func (u *unpacking) archive(s spot, zipped bool) error {
	if s.n.Kind != layer.Regular {
		return fmt.Errorf("%s is not a file", s.name)
	}
	c, err := s.n.Content()
	switch {
	case err != nil:
		return err
	case c.Open == nil:
		return fmt.Errorf("%s: %w", s.name, errLater)
	}
	open, err := u.eval.Archives.Tar(u.ctx, c, zipped)
	switch {
	case err != nil:
		return err
	case open == nil:
		return fmt.Errorf("%s is not an archive of a kind that is known here", s.name)
	}
	if err := u.compressed(c); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	u.links = map[string]bool{}
	err = u.eval.Archives.Each(u.ctx, c, open, func(h *tar.Header, n *tree.Node) error {
		if err := u.member(h, n); err != nil {
			return fmt.Errorf("%s in %s: %w", h.Name, s.name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, found := range u.found {
		if !found {
			return mistake.At(u.members[i], "%s is not in %s", u.members[i], s.name)
		}
	}
	return u.finish()
}

// wanted reports whether a file of the archive is to be unpacked.
func (u *unpacking) wanted(name string) bool {
	if len(u.members) == 0 {
		return true
	}
	some := false
	for i, m := range u.members {
		m = strings.TrimRight(m, "/")
		if name == m || strings.HasPrefix(name, m+"/") {
			u.found[i], some = true, true
		}
	}
	return some
}

// stripped returns a name without its first elements, empty if nothing is left.
func stripped(name string, n int) string {
	name = strings.TrimLeft(name, "/")
	for range n {
		_, rest, found := strings.Cut(name, "/")
		if !found {
			return ""
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name
}

// member unpacks one file.
func (u *unpacking) member(h *tar.Header, n *tree.Node) error {
	name := strings.TrimRight(h.Name, "/")
	if u.modes != nil && !u.modes[h.Name].wanted || u.modes == nil && !u.wanted(name) {
		return nil
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		return errors.New("its name has .. in it, and tar refuses that, too")
	}
	name = stripped(h.Name, u.strip)
	if u.junk {
		name = path.Base(name)
	}
	if name == "" || u.junk && n.Kind == layer.Dir {
		return nil
	}
	p, err := u.place(name)
	if err != nil {
		return err
	}
	k := *n
	if h.Typeflag == tar.TypeLink {
		target, err := u.place(stripped(h.Linkname, u.strip))
		if err != nil {
			return err
		}
		there, err := u.t.Lstat(target)
		switch {
		case err != nil:
			return err
		case there == nil || there.Kind == layer.Dir:
			return fmt.Errorf("it is a hard link to %s, which is not a file there", h.Linkname)
		}
		return u.put(p, there)
	}
	if n.Odd != "" {
		return fmt.Errorf("it is %s, which a layer cannot contain here", n.Odd)
	}
	if k.UID, k.GID, err = u.owners(h); err != nil {
		return err
	}
	if m := u.modes[h.Name]; m != nil {
		k.Mode = m.mode
	}
	if k.Kind != layer.Symlink {
		k.Mode &^= u.mask
	} else {
		u.links[p] = true
	}
	return u.put(p, &k)
}

// place returns the path of a file of the archive, below the directory. Directories above it that
// are links of the archive itself are refused: tar makes them last.
func (u *unpacking) place(name string) (string, error) {
	p := path.Join(u.into, path.Clean("/"+name))
	at := u.into
	for _, part := range strings.Split(strings.Trim(strings.TrimPrefix(path.Dir(p), u.into), "/"), "/") {
		if at = path.Join(at, part); u.links[at] {
			return "", fmt.Errorf("it lies beyond %s, a symbolic link of the same archive", at)
		}
	}
	if p == u.into {
		return p, nil
	}
	dir, err := tree.Follow(u.t, path.Dir(p))
	if err != nil {
		return "", err
	}
	if err := u.parents(dir, 0o755); err != nil {
		return "", err
	}
	p = path.Join(dir, path.Base(p))
	return p, u.mounted(p)
}

// put puts one file of the archive in its place, as root: what was there goes, but for a directory
// with files in it.
func (u *unpacking) put(p string, n *tree.Node) error {
	there, err := u.t.Lstat(p)
	if err != nil {
		return err
	}
	if there != nil && u.keep != nil {
		if keep, err := u.keep(p, there); keep || err != nil {
			return err
		}
	}
	if there != nil && there.Kind == layer.Dir && n.Kind != layer.Dir {
		if err := u.empty(spot{p: p, n: there, name: p}); err != nil {
			return err
		}
	}
	if there != nil && there.Kind == layer.Dir && u.s.Windows() {
		return nil // its permissions stay
	}
	dir, err := u.t.Lstat(path.Dir(p))
	if err != nil {
		return err
	}
	if u.anonymous && dir != nil && dir.Mode&fs.ModeSetgid != 0 {
		k := *n
		k.GID = dir.GID
		n = &k
	}
	if n.Kind != layer.Dir {
		return u.t.Set(p, n)
	}
	if there != nil && there.Kind == layer.Dir {
		k := *n
		k.Mode |= there.Mode & u.mask & (fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		u.directories = append(u.directories, placed{p, &k})
		return nil
	}
	u.directories = append(u.directories, placed{p, n})
	made := &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ umask}
	if dir != nil {
		made = inherit(dir, made)
	}
	return u.t.Set(p, made)
}

func (u *unpacking) finish() error {
	for _, d := range u.directories {
		if there, err := u.t.Lstat(d.p); err != nil || there == nil || there.Kind != layer.Dir {
			if err != nil {
				return err
			}
			continue // a later file of the archive has taken its place
		}
		if err := u.t.Set(d.p, d.n); err != nil {
			return err
		}
	}
	return nil
}
