package system

import (
	"context"
	"io"
	"strconv"
	"strings"
)

// groupmod is that of shadow 4.13.
func groupmod(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "groupmod"
	list, names, err := syntax{
		program: me, letters: "ag:n:op:U:",
		long: "append=a gid=g new-name=n non-unique=o password=p users=U",
	}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	has, values := map[string]bool{}, map[string]string{}
	for _, o := range list {
		has[o.key], values[o.key] = true, o.value
	}
	if len(names) != 1 || has["o"] && !has["g"] {
		return fail(me, 2, "it takes one name, and -o only with -g")
	}
	g := a.group.find(names[0])
	if g == nil {
		return fail(me, 6, "group '%s' does not exist", names[0])
	}
	if err := a.changeGroup(g, has, values); err != nil {
		return err
	}
	return a.save()
}

func (a *accounts) changeGroup(g []string, has map[string]bool, values map[string]string) error {
	const me = "groupmod"
	old, hidden := g[0], a.gshadow.find(g[0])
	if gid, ok := parseID(values["g"]); has["g"] {
		switch {
		case !ok:
			return fail(me, 3, "invalid group ID '%s'", values["g"])
		case number(g[fieldGroupID]) != gid && !has["o"] && a.gid(gid) != nil:
			return fail(me, 4, "GID '%d' already exists", gid)
		}
		a.moveGroup(number(g[fieldGroupID]), gid)
		g[fieldGroupID] = strconv.Itoa(gid)
	}
	if name := values["n"]; has["n"] && name != old {
		switch {
		case !validName(name):
			return fail(me, 3, "invalid group name '%s'", name)
		case a.group.find(name) != nil:
			return fail(me, 9, "group '%s' already exists", name)
		}
		g[0] = name
	}
	if has["p"] && (hidden == nil || g[fieldPassword] != "x") {
		g[fieldPassword] = values["p"]
	}
	users := members(values["U"])
	for _, u := range users {
		if a.user(u) == nil {
			return fail(me, 10, "Invalid member username %s", u)
		}
	}
	if has["U"] {
		for _, f := range [][]string{g, hidden} {
			if f == nil {
				continue
			}
			if !has["a"] {
				f[fieldMembers] = ""
			}
			for _, u := range users {
				f[fieldMembers] = include(f[fieldMembers], u)
			}
		}
	}
	a.group.rename(old, g)
	if hidden != nil && (has["n"] || has["p"] || has["U"]) {
		hidden[0] = g[0]
		if has["p"] {
			hidden[fieldPassword] = values["p"]
		}
		a.gshadow.rename(old, hidden)
	}
	return nil
}

// moveGroup gives users whose own group changes its number the new one.
func (a *accounts) moveGroup(from, to int) {
	if from == to {
		return
	}
	for n, l := range a.passwd.lines {
		if f := a.passwd.split(l); f != nil && numeric(f[fieldGID], from) {
			f[fieldGID] = strconv.Itoa(to)
			a.passwd.lines[n], a.passwd.changed = strings.Join(f, ":"), true
		}
	}
}
