package system

// groupadd is that of shadow 4.13.
func groupadd(s *System, o Options, names []string) error {
	const me = "groupadd"
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 || o.has("o") && !o.has("g") {
		return fail(me, 2, "it takes one name, and -o only with -g")
	}
	name, gid := names[0], -1
	if o.has("g") {
		var ok bool
		if gid, ok = parseID(o["g"]); !ok {
			return fail(me, 3, "invalid group ID '%s'", o["g"])
		}
	}
	used := gid >= 0 && !o.has("o") && a.gid(gid) != nil
	switch {
	case !validName(name):
		return fail(me, 3, "'%s' is not a valid group name", name)
	case a.group.find(name) != nil && o.has("f"):
		return nil
	case a.group.find(name) != nil:
		return fail(me, 9, "group '%s' already exists", name)
	case used && !o.has("f"):
		return fail(me, 4, "GID '%d' already exists", gid)
	case used:
		gid = -1
	}
	if gid < 0 {
		if gid, err = a.newGID(o.has("r"), -1); err != nil {
			return err
		}
	}
	a.addGroup(name, "x", gid)
	return a.save()
}
