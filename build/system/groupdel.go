package system

import (
	"context"
	"io"
)

// groupdel is that of shadow 4.13.
func groupdel(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "groupdel"
	list, names, err := syntax{program: me, letters: "f", long: "force=f"}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fail(me, 2, "it takes one name, and has %d", len(names))
	}
	g := a.group.find(names[0])
	if g == nil {
		return fail(me, 6, "group '%s' does not exist", names[0])
	}
	user := a.passwd.search(func(f []string) bool { return numeric(f[fieldGID], number(g[fieldGroupID])) })
	if user != nil && len(list) == 0 {
		return fail(me, 8, "cannot remove the primary group of user '%s'", user[0])
	}
	a.group.remove(g[0])
	a.gshadow.remove(g[0])
	return a.save()
}
