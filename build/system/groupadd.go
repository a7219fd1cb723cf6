package system

// groupadd is that of shadow 4.13.
func groupadd(s *System, args []string) error {
	const me = "groupadd"
	a, err := s.accounts()
	if err != nil {
		return err
	}
	list, names, err := syntax{
		program: me, letters: "fg:K:op:rU:",
		long: "force=f gid=g key=K non-unique=o password=p system=r users=U",
	}.parse(args)
	if err != nil {
		return err
	}
	has, values := map[string]bool{}, map[string]string{}
	for _, o := range list {
		has[o.key], values[o.key] = true, o.value
		if o.key == "K" {
			if err := a.defs.override(me, o.value); err != nil {
				return err
			}
		}
	}
	if len(names) != 1 || has["o"] && !has["g"] {
		return fail(me, 2, "it takes one name, and -o only with -g")
	}
	name := names[0]
	gid, ok := parseID(values["g"])
	if has["g"] && !ok {
		return fail(me, 3, "invalid group ID '%s'", values["g"])
	}
	if !has["g"] {
		gid = -1
	}
	switch {
	case !validName(name):
		return fail(me, 3, "'%s' is not a valid group name", name)
	case a.group.find(name) != nil && has["f"]:
		return nil
	case a.group.find(name) != nil:
		return fail(me, 9, "group '%s' already exists", name)
	case has["g"] && !has["o"] && a.gid(gid) != nil && !has["f"]:
		return fail(me, 4, "GID '%d' already exists", gid)
	case has["g"] && !has["o"] && a.gid(gid) != nil:
		gid = -1
	}
	if gid < 0 {
		if gid, err = a.newGID(has["r"], -1); err != nil {
			return err
		}
	}
	a.addGroup(name, values["p"], or(values["p"], "x"), gid)
	if err := a.addMembers(me, name, members(values["U"])); err != nil {
		return err
	}
	return a.save()
}

// addMembers adds users to a group.
func (a *accounts) addMembers(me, group string, users []string) error {
	for _, user := range users {
		if a.user(user) == nil {
			return fail(me, 10, "Invalid member username %s", user)
		}
		f := a.group.find(group)
		f[fieldMembers] = include(f[fieldMembers], user)
		a.group.set(group, f...)
	}
	return nil
}
