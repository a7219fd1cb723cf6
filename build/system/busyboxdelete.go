package system

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// busyDelete is deluser and delgroup of BusyBox.
func (s *System) busyDelete(me string, args []string) error {
	home := slices.Contains(args, "--remove-home") && me == "deluser"
	if home {
		args = slices.DeleteFunc(slices.Clone(args), func(w string) bool { return w == "--remove-home" })
	}
	for _, w := range args {
		if strings.HasPrefix(w, "-") {
			return syntax{program: me}.unknown(w)
		}
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 2 && me == "delgroup":
		return s.busyLeave(a, args[0], args[1])
	case len(args) != 1:
		return fail(me, 1, "it takes one name, and has %d", len(args))
	case me == "delgroup":
		return s.busyDeleteGroup(a, args[0], false)
	}
	u := a.user(args[0])
	if u == nil {
		return fail(me, 1, "unknown user %s", args[0])
	}
	if home {
		at, n, err := tree.Resolve(s.Tree, u[fieldHome])
		if err != nil {
			return err
		}
		if n != nil && n.Kind == layer.Dir && at != "/" {
			if err := s.Tree.Erase(at); err != nil {
				return err
			}
		}
	}
	a.passwd.remove(u[0])
	a.shadow.remove(u[0])
	for _, f := range a.group.all() {
		if contains(f[fieldMembers], u[0]) {
			f[fieldMembers] = exclude(f[fieldMembers], u[0])
			a.group.set(f[0], f...)
		}
	}
	// BusyBox writes the files, and their backups, even where nothing changes
	a.shadow.changed, a.group.changed = a.shadow.there, a.group.there
	if err := a.write(); err != nil {
		return err
	}
	if a, err = s.accounts(); err != nil {
		return err
	}
	return s.busyDeleteGroup(a, u[0], true)
}

func (s *System) busyDeleteGroup(a *accounts, name string, withUser bool) error {
	g := a.group.find(name)
	switch {
	case g == nil && withUser:
		return nil
	case g == nil:
		return fail("delgroup", 1, "unknown group %s", name)
	}
	for _, u := range a.passwd.all() {
		if u[fieldGID] == g[fieldGroupID] {
			return fail("delgroup", 1, "'%s' still has '%s' as their primary group!", u[0], name)
		}
	}
	a.group.remove(name)
	a.gshadow.remove(name)
	a.gshadow.changed = a.gshadow.there
	return a.write()
}

func (s *System) busyLeave(a *accounts, user, group string) error {
	if a.group.find(group) == nil {
		return fail("delgroup", 1, "unknown group %s", group)
	}
	for _, t := range []*table{a.group, a.gshadow} {
		if f := t.find(group); f != nil {
			f[fieldMembers] = exclude(f[fieldMembers], user)
			t.set(group, f...)
		}
	}
	return a.write()
}
