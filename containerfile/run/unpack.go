package run

import (
	"archive/tar"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// unpacking is an archive being unpacked into a directory of the tree.
type unpacking struct {
	*runner
	into        string // the directory
	strip       int
	members     []string
	found       []bool // of members
	owners      func(h *tar.Header) (uid, gid int)
	mask        fs.FileMode          // taken from every mode
	modes       map[string]*fileMode // of a zip, by name
	keep        func(p string, there *tree.Node) bool
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
func (u *unpacking) archive(s lookup, zipped bool) {
	c := u.content(s)
	open := must(u.eval.Archives.Tar(u.ctx, c, zipped))
	if open == nil {
		fail("%s is not an archive of a kind that is supported", s.name)
	}
	if err := try(func() { u.compressed(c) }); err != nil {
		fail("%s: %w", s.name, err)
	}
	u.links = map[string]bool{}
	check(u.eval.Archives.Each(u.ctx, c, open, func(h *tar.Header, n *tree.Node) error {
		if err := try(func() { u.member(h, n) }); err != nil {
			return fmt.Errorf("%s in %s: %w", h.Name, s.name, err)
		}
		return nil
	}))
	if i := slices.Index(u.found, false); i >= 0 {
		failAt(u.members[i], "%s is not in %s", u.members[i], s.name)
	}
	u.finish()
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

func (u *unpacking) member(h *tar.Header, n *tree.Node) {
	name := strings.TrimRight(h.Name, "/")
	if u.modes != nil && !u.modes[h.Name].wanted || u.modes == nil && !u.wanted(name) {
		return
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		fail("its name has .. in it, and tar refuses that, too")
	}
	name = stripped(h.Name, u.strip)
	if u.junk {
		name = path.Base(name)
	}
	if name == "" || u.junk && n.Kind == layer.Dir {
		return
	}
	p := u.destination(name)
	if h.Typeflag == tar.TypeLink {
		there := u.lstat(u.destination(stripped(h.Linkname, u.strip)))
		if there == nil || there.Kind == layer.Dir {
			fail("it is a hard link to %s, which is not a file there", h.Linkname)
		}
		u.put(p, there)
		return
	}
	if n.Odd != "" {
		fail("it is %s, which a layer cannot contain here", n.Odd)
	}
	k := *n
	k.UID, k.GID = u.owners(h)
	k.Capability = "" // tar does not restore extended attributes
	if m := u.modes[h.Name]; m != nil {
		k.Mode = m.mode
	}
	if k.Kind != layer.Symlink {
		k.Mode &^= u.mask
	} else {
		u.links[p] = true
	}
	u.put(p, &k)
}

// destination returns the path of a file of the archive, below the directory. Directories above it
// that are links of the archive itself are refused: tar makes them last.
func (u *unpacking) destination(name string) string {
	p := path.Join(u.into, path.Clean("/"+name))
	dir := u.into
	for part := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(path.Dir(p), u.into), "/"), "/") {
		if dir = path.Join(dir, part); u.links[dir] {
			fail("it lies beyond %s, a symbolic link of the same archive", dir)
		}
	}
	if p == u.into {
		return p
	}
	dir = u.follow(path.Dir(p))
	u.parents(dir, 0o755)
	p = path.Join(dir, path.Base(p))
	u.mounted(p)
	return p
}

// put puts one file of the archive in its place, as root, and replaces the file there, unless that
// is a directory with files in it.
func (u *unpacking) put(p string, n *tree.Node) {
	there := u.lstat(p)
	if there != nil && u.keep != nil && u.keep(p, there) {
		return
	}
	directory := there != nil && there.Kind == layer.Dir
	if directory && n.Kind != layer.Dir {
		u.empty(lookup{p: p, n: there, name: p})
	}
	if directory && u.s.Windows() {
		return // its permissions stay
	}
	dir := u.lstat(path.Dir(p))
	k := *n
	if u.anonymous && dir != nil && dir.Mode&fs.ModeSetgid != 0 {
		k.GID = dir.GID
	}
	if n.Kind != layer.Dir {
		u.set(p, &k)
		return
	}
	u.directories = append(u.directories, placed{p, &k})
	if directory {
		k.Mode |= there.Mode & u.mask & special
		return
	}
	made := &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ umask}
	if dir != nil {
		made = inherit(dir, made)
	}
	u.set(p, made)
}

func (u *unpacking) finish() {
	for _, d := range u.directories {
		there := u.lstat(d.p)
		if there == nil || there.Kind != layer.Dir {
			continue // a later file of the archive has taken its place
		}
		u.set(d.p, d.n)
	}
}
