package dpkg

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
)

const newSuffix = ".dpkg-new"

// extract puts the files of the new package into the tree.
func (u *unpacking) extract(ctx context.Context) error {
	u.inSync = true
	for _, other := range u.p.set.pkgs {
		if other != u.p && other.state > configFiles && other.installed.version.Compare(u.p.available.version) != 0 {
			u.inSync = false
		}
	}
	return u.d.Walk(ctx, u.archives, u.member)
}

// spot is where a file of the new package goes.
type spot struct {
	at   string
	node *tree.Node // what is there
}

// member puts one file into the tree, if it goes there.
func (u *unpacking) member(m deb.Member) error {
	f := u.db.file(m.Path)
	if m.Path == "/" {
		f = u.db.file("/.")
	}
	if f.marks&markRmConff != 0 {
		return fmt.Errorf("%s is in the package, which wants it removed as a conffile", f.name)
	}
	if f.divert != nil && f.divert.cameFrom != nil {
		return fmt.Errorf("%s is where another package has diverted %s to", f.name, f.divert.cameFrom.name)
	}
	u.db.mark(f, markInArchive)
	use := f.use(u.p)
	if err := u.touched(use, u.p); err != nil {
		return err
	}
	s, err := u.spot(f, use)
	if err != nil {
		return err
	}
	existing, err := u.existing(m, s)
	if err != nil {
		return err
	}
	shared := false
	if !existing {
		keep, refcounted, err := u.conflict(m, f, s)
		if err != nil {
			return err
		}
		if keep {
			if f.marks&markNewConff != 0 {
				u.db.mark(f, markObsConff)
			}
			return nil
		}
		shared = refcounted
	}
	u.files = append(u.files, f)
	name := f.name
	if name == "/." {
		name = ""
	}
	skip, err := u.options.excluded(name, m.Kind == layer.Dir || m.Kind == layer.Symlink)
	switch {
	case err != nil:
		return err
	case skip:
		f.marks = f.marks&^markInArchive | markFiltered
		return nil
	case existing:
		return nil
	case shared:
		return u.compareShared(m, f, s)
	}
	return u.place(m, f, s)
}

// spot returns where a file goes. A conffile has to be a file or a link to one there.
func (u *unpacking) spot(f, use *file) (spot, error) {
	at, n, err := u.db.place(use.name)
	if err != nil {
		return spot{}, err
	}
	if f.marks&markNewConff != 0 {
		if _, ok, err := u.db.dereference(use.name); err != nil || !ok {
			return spot{}, fmt.Errorf("the conffile %s is something else in the image than a file or a link to one: "+
				"remove it before", f.name)
		}
	}
	return spot{at, n}, nil
}

// existing reports whether a directory is there, and stays: for a directory, or for a link that
// leads to it.
func (u *unpacking) existing(m deb.Member, s spot) (bool, error) {
	if s.node == nil {
		return false, nil
	}
	isDir := func(p string) (string, bool, error) {
		at, n, err := tree.Resolve(u.db.t, p)
		return at, n != nil && n.Kind == layer.Dir, err
	}
	switch m.Kind {
	case layer.Symlink:
		if s.node.Kind != layer.Symlink {
			return s.node.Kind == layer.Dir, nil
		}
		old, ok, err := isDir(s.at)
		if err != nil || !ok {
			return false, err
		}
		link := m.Link
		if !path.IsAbs(link) {
			link = path.Dir(s.at) + "/" + link
		}
		to, ok, err := isDir(link)
		return ok && to == old, err
	case layer.Dir:
		_, ok, err := isDir(s.at)
		return ok, err
	}
	return false, nil
}

// place puts a file into the tree; a conffile beside the one that is there.
func (u *unpacking) place(m deb.Member, f *file, s spot) error {
	dir, err := u.db.t.Lstat(path.Dir(s.at))
	if err != nil {
		return err
	}
	if dir == nil && path.Dir(s.at) != "/" || dir != nil && dir.Kind != layer.Dir {
		return fmt.Errorf("%s goes into %s, which is not a directory", f.name, path.Dir(s.at))
	}
	n, err := u.node(m, f)
	if err != nil {
		return err
	}
	if n.Kind == layer.Regular {
		f.node = n
	}
	u.db.mark(f, markElide)
	if f.marks&markNewConff != 0 {
		s.at += newSuffix
	}
	if n.Hard {
		u.paths[n] = append(u.paths[n], s.at)
	}
	return u.db.t.Set(s.at, n)
}

// node returns a file of the package as it goes into the tree.
func (u *unpacking) node(m deb.Member, f *file) (*tree.Node, error) {
	k := *m.Node
	if o := f.override; o != nil {
		k.UID, k.GID, k.Mode = o.uid, o.gid, o.mode
	} else {
		uid, gid, err := u.db.owner(m.User, m.Group, k.UID, k.GID)
		if err != nil {
			return nil, err
		}
		k.UID, k.GID = uid, gid
	}
	if k.Kind == layer.Symlink {
		k.Mode = m.Node.Mode
	}
	if m.Kind == layer.Hardlink {
		return u.hardLink(m, &k)
	}
	return &k, nil
}

// hardLink returns the file that a hard link is another path of. The file takes mode and owner
// from its last path.
func (u *unpacking) hardLink(m deb.Member, as *tree.Node) (*tree.Node, error) {
	other := u.db.file(m.Link)
	at, n, err := u.db.place(other.use(u.p).name)
	if err == nil && other.marks&markNewConff != 0 {
		at += newSuffix
		n, err = u.db.t.Lstat(at)
	}
	if err != nil {
		return nil, err
	}
	if n == nil || n.Kind != layer.Regular {
		return nil, fmt.Errorf("%s is a hard link to %s, which is not there", m.Path, m.Link)
	}
	if n.Hard && n.Mode == as.Mode && n.UID == as.UID && n.GID == as.GID {
		return n, nil
	}
	k := *n
	k.Hard, k.Mode, k.UID, k.GID = true, as.Mode, as.UID, as.GID
	if u.paths[&k] = u.paths[n]; len(u.paths[n]) == 0 {
		u.paths[&k] = []string{at}
	}
	for _, at := range u.paths[&k] {
		if err := u.db.t.Set(at, &k); err != nil {
			return nil, err
		}
	}
	return &k, nil
}

// compareShared checks a file that the package has for several architectures: it has to be the
// same.
func (u *unpacking) compareShared(m deb.Member, f *file, s spot) error {
	var equal bool
	switch m.Kind {
	case layer.Dir:
		equal = true
	case layer.Symlink:
		equal = s.node.Kind == layer.Symlink && s.node.Link == m.Link
	case layer.Regular:
		f.node = m.Node
		old, err := u.sharedHash(f, s)
		if err != nil {
			return err
		}
		sum, err := md5Of(m.Node)
		if err != nil {
			return err
		}
		equal = old == sum
	default:
		f.node = u.db.file(m.Link).node
		equal = s.node.Kind == layer.Regular
	}
	if !equal {
		return fmt.Errorf("%s differs from that of package %s for another architecture", f.name, u.p.set.name)
	}
	return nil
}

// sharedHash is the hash of a file that another architecture of the package has.
func (u *unpacking) sharedHash(f *file, s spot) (string, error) {
	if f.marks&markNewConff == 0 {
		if s.node.Kind != layer.Regular {
			return hashEmpty, nil
		}
		return md5Of(s.node)
	}
	for _, other := range u.p.set.pkgs {
		if other == u.p || other.state <= unpacked && other.installed.version != other.configVersion {
			continue
		}
		n := slices.IndexFunc(other.installed.conffiles, func(c conffile) bool {
			return c.name == f.name && !c.obsolete && !c.removeOnUpgrade
		})
		if n >= 0 {
			return other.installed.conffiles[n].hash, nil
		}
	}
	return u.db.hashAt(s.at + newSuffix)
}
