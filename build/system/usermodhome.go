package system

import (
	"fmt"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// changeHome gives the home directory and the mailbox to the changed user.
func (s *System) changeHome(a *accounts, c *userChange) error {
	if err := s.changeMail(a, c); err != nil {
		return err
	}
	home, n, err := tree.Resolve(s.Tree, c.now[fieldHome])
	ours := n != nil && (n.UID == c.uid || c.has["u"] && n.UID == c.newUID)
	if err != nil || !ours || !c.has["u"] && !c.has["g"] {
		return err
	}
	return s.change(home, func(n *tree.Node) *tree.Node {
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
	})
}

// changeMail gives the mailbox to a user with another number. One of a user with another name is
// not moved here.
func (s *System) changeMail(a *accounts, c *userChange) error {
	dir := a.defs["MAIL_DIR"]
	if !c.has["l"] && !c.has["u"] || dir == "" {
		return nil
	}
	box, n, err := tree.Resolve(s.Tree, dir+"/"+c.name)
	switch {
	case err != nil || n == nil || n.UID != c.uid:
		return err
	case c.has["l"]:
		return fmt.Errorf("usermod: %s has a mailbox, which is not moved here: leave -l out", c.name)
	}
	return s.Tree.Set(box, chown(n, c.newUID, n.GID))
}
