package system

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// gpasswd is that of shadow 4.13, without passwords.
func gpasswd(_ context.Context, s *System, args []string, out io.Writer) error {
	const me = "gpasswd"
	list, names, err := syntax{
		program: me, letters: "a:d:A:M:R", long: "add=a delete=d administrators=A members=M restrict=R",
	}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 || len(list) == 0 {
		return fail(me, 2, "it takes one group, and one of -a, -d, -A and -M")
	}
	g := a.group.find(names[0])
	if g == nil {
		return fail(me, 3, "group '%s' does not exist in /etc/group", names[0])
	}
	for _, o := range list {
		if err := a.changeMembers(g, o, out); err != nil {
			return err
		}
	}
	return a.save()
}

func (a *accounts) changeMembers(g []string, o option, out io.Writer) error {
	const me = "gpasswd"
	users := strings.Split(o.value, ",")
	if o.value == "" {
		users = nil
	}
	for _, u := range users {
		if o.key != "d" && o.key != "R" && a.user(u) == nil {
			return fail(me, 3, "user '%s' does not exist", u)
		}
	}
	hidden := a.gshadow.find(g[0])
	lists := []*[]string{&g, &hidden}
	switch o.key {
	case "a":
		fmt.Fprintf(out, "Adding user %s to group %s\n", o.value, g[0])
	case "d":
		if !slices.Contains(members(g[fieldMembers]), o.value) {
			return fail(me, 3, "user '%s' is not a member of '%s'", o.value, g[0])
		}
		fmt.Fprintf(out, "Removing user %s from group %s\n", o.value, g[0])
	case "A":
		if hidden == nil {
			return fail(me, 2, "shadow group passwords required for -A")
		}
		hidden[2] = o.value
		lists = []*[]string{&hidden}
	case "R":
		lists = []*[]string{&hidden}
		if hidden != nil {
			hidden[fieldPassword] = "!"
		} else {
			g[fieldPassword], lists = "!", []*[]string{&g}
		}
	}
	for _, l := range lists {
		f := *l
		if f == nil {
			continue
		}
		switch o.key {
		case "a":
			f[fieldMembers] = include(f[fieldMembers], o.value)
		case "d":
			f[fieldMembers] = exclude(f[fieldMembers], o.value)
		case "M":
			f[fieldMembers] = o.value
		}
	}
	for t, f := range map[*table][]string{a.group: g, a.gshadow: hidden} {
		if f != nil {
			t.set(f[0], f...)
		}
	}
	return nil
}
