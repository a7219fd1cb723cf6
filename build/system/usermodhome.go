package system

import (
	"path"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// changeHome moves the home directory and the mailbox, and gives them to the changed user.
func (s *System) changeHome(a *accounts, c *userChange) error {
	owner := func(n *tree.Node) *tree.Node {
		uid, gid := n.UID, n.GID
		if c.has["u"] && uid == c.uid {
			uid = c.newUID
		}
		if c.has["g"] && gid == c.gid {
			gid = c.newGID
		}
		if uid == n.UID && gid == n.GID {
			return n
		}
		return chown(n, uid, gid)
	}
	home, n, err := tree.Resolve(s.Tree, c.old[fieldHome])
	if err != nil {
		return err
	}
	if c.has["m"] && n != nil {
		to, there, err := tree.Resolve(s.Tree, c.now[fieldHome])
		switch {
		case err != nil:
			return err
		case there != nil:
			return fail("usermod", 12, "directory %s exists", c.now[fieldHome])
		case n.Kind != layer.Dir:
			return fail("usermod", 12, "The previous home directory (%s) was not a directory.", c.old[fieldHome])
		}
		if parent, err := s.is(path.Dir(to), layer.Dir); err != nil || !parent {
			return fail("usermod", 12, "cannot rename directory %s to %s", c.old[fieldHome], c.now[fieldHome])
		}
		if err := s.move(home, to); err != nil {
			return err
		}
		home = to
	} else if c.has["d"] {
		if home, n, err = tree.Resolve(s.Tree, c.now[fieldHome]); err != nil {
			return err
		}
	}
	if err := s.changeMail(a, c); err != nil {
		return err
	}
	ours := n != nil && (n.UID == c.uid || c.has["u"] && n.UID == c.newUID)
	if n == nil || !c.has["m"] && !ours || !c.has["u"] && !c.has["g"] {
		return nil
	}
	return s.change(home, owner)
}

func (s *System) changeMail(a *accounts, c *userChange) error {
	dir := a.defs["MAIL_DIR"]
	if !c.has["l"] && !c.has["u"] || dir == "" {
		return nil
	}
	box, n, err := tree.Resolve(s.Tree, dir+"/"+c.name)
	if err != nil || n == nil || n.UID != c.uid {
		return err
	}
	if c.has["u"] {
		n = chown(n, c.newUID, n.GID)
		if err := s.Tree.Set(box, n); err != nil {
			return err
		}
	}
	if !c.has["l"] {
		return nil
	}
	return s.move(box, path.Join(path.Dir(box), c.now[0]))
}
