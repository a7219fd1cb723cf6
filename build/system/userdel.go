package system

import (
	"context"
	"errors"
	"io"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// userdel is that of shadow 4.13.
func userdel(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "userdel"
	list, names, err := syntax{program: me, letters: "fr", long: "force=f remove=r"}.parse(args)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, o := range list {
		has[o.key] = true
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fail(me, 2, "it takes one name, and has %d", len(names))
	}
	u := a.user(names[0])
	if u == nil {
		return fail(me, 6, "user '%s' does not exist", names[0])
	}
	a.passwd.remove(u[0])
	a.shadow.remove(u[0])
	a.subuid.remove(u[0])
	a.subgid.remove(u[0])
	a.leave(u[0])
	if a.defs.yes("USERGROUPS_ENAB") {
		a.removeUserGroup(u, has["f"])
	}
	if err := a.save(); err != nil || !has["r"] {
		return err
	}
	return errors.Join(s.removeOwned(a.defs["MAIL_DIR"]+"/"+u[0], u, has["f"]),
		s.removeOwned(u[fieldHome], u, has["f"]))
}

// removeUserGroup removes the group that has the user's name, where it is the user's own.
func (a *accounts) removeUserGroup(u []string, force bool) {
	g := a.group.find(u[0])
	if g == nil || g[fieldGroupID] != u[fieldGID] || g[fieldMembers] != "" {
		return
	}
	other := a.passwd.search(func(f []string) bool { return f[fieldGID] == u[fieldGID] })
	if other != nil && !force {
		return
	}
	a.group.remove(u[0])
	a.gshadow.remove(u[0])
}

// removeOwned removes a mailbox or home directory that belongs to the user.
func (s *System) removeOwned(p string, u []string, force bool) error {
	at, n, err := tree.Resolve(s.Tree, p)
	switch {
	case err != nil || n == nil:
		return err
	case n.UID != number(u[fieldUID]) && !force:
		return fail("userdel", 12, "%s not owned by %s, not removing", p, u[0])
	case at == "/":
		return fail("userdel", 12, "error removing directory %s", p)
	}
	return s.Tree.Erase(at)
}
