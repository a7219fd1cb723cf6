package system

import (
	"slices"
	"strconv"
	"strings"
)

// apply finds the numbers, and writes the accounts.
func (x *sysusers) apply() error {
	if len(x.ranges) == 0 {
		x.ranges = []span{{1, x.a.defs.number("SYS_UID_MAX", 999)}}
	}
	for _, r := range x.ranges {
		x.search = max(x.search, r.max+1)
	}
	var newGroups, newUsers []*sysusersItem
	for _, i := range slices.Concat(x.groups, x.users) {
		if i.user && i.strict && x.newGID[i.gid] == "" && x.a.gid(i.gid) == nil {
			continue // systemd says so, and goes on
		}
		isGroup := !i.user || i.group == "" && !x.queued(i)
		if isGroup {
			if err := x.addGroup(i); err != nil {
				return err
			}
			if i.isNew {
				newGroups = append(newGroups, i)
			}
		}
		if i.user {
			added, err := x.addUser(i)
			if err != nil {
				return err
			}
			if added {
				newUsers = append(newUsers, i)
			}
		}
	}
	x.write(newGroups, newUsers)
	return x.a.save()
}

// queued takes over the number of a group of that name that is to be made, for a user.
func (x *sysusers) queued(i *sysusersItem) bool {
	at := slices.IndexFunc(x.groups, func(g *sysusersItem) bool { return g.name == i.name && g.isNew })
	if i.gid >= 0 || at < 0 {
		return false
	}
	i.gid, i.strict = x.groups[at].gid, true
	return true
}

func (x *sysusers) groupFree(gid int, withUser bool) bool {
	return x.newGID[gid] == "" && x.a.gid(gid) == nil && (!withUser || x.newUID[gid] == "" && x.a.uid(gid) == nil)
}

func (x *sysusers) userFree(uid int, name string, withGroup bool) bool {
	if x.newUID[uid] != "" || x.a.uid(uid) != nil {
		return false
	}
	if !withGroup {
		return true
	}
	g := x.a.gid(uid)
	return (x.newGID[uid] == "" || x.newGID[uid] == name) && (g == nil || g[0] == name)
}

// next returns the highest number that was not tried, and that is free.
func (x *sysusers) next(free func(n int) bool) (int, error) {
	for x.search--; x.search > 0; x.search-- {
		in := slices.ContainsFunc(x.ranges, func(r span) bool { return x.search >= r.min && x.search <= r.max })
		if in && free(x.search) {
			return x.search, nil
		}
	}
	return 0, fail("systemd-sysusers", 1, "No free group or user ID available")
}

// addGroup finds the number of a group.
func (x *sysusers) addGroup(i *sysusersItem) error {
	if g := x.a.group.find(i.name); g != nil {
		i.gid = number(g[fieldGroupID])
		return nil
	}
	if i.strict && i.gid >= 0 && x.a.gid(i.gid) != nil {
		return nil // the group that has the number is the user's
	}
	if i.gid >= 0 && !x.groupFree(i.gid, false) {
		i.gid = -1
	}
	if i.gid < 0 && i.uid >= 0 && x.groupFree(i.uid, true) {
		i.gid = i.uid
	}
	if i.gid < 0 && i.owner != "" {
		if n, err := x.s.stat(i.owner); err != nil {
			return err
		} else if n != nil && x.groupFree(n.GID, true) {
			i.gid = n.GID
		}
	}
	if i.gid < 0 {
		gid, err := x.next(func(n int) bool { return x.groupFree(n, true) })
		if err != nil {
			return err
		}
		i.gid = gid
	}
	i.isNew, x.newGID[i.gid] = true, i.name
	return nil
}

// addUser finds the number of a user, and reports whether it is new.
func (x *sysusers) addUser(i *sysusersItem) (bool, error) {
	if i.group != "" {
		g := x.a.group.find(i.group)
		at := slices.IndexFunc(slices.Concat(x.groups, x.users), func(k *sysusersItem) bool {
			return k.name == i.group && k.isNew
		})
		switch {
		case g != nil:
			i.gid = number(g[fieldGroupID])
		case at >= 0:
			i.gid = slices.Concat(x.groups, x.users)[at].gid
		default:
			return false, fail("systemd-sysusers", 1, "Group %s not found.", i.group)
		}
		i.strict = true
	}
	if x.a.user(i.name) != nil {
		return false, nil
	}
	if i.uid >= 0 && !x.userFree(i.uid, i.name, !i.strict) {
		i.uid = -1
	}
	if i.uid < 0 && i.owner != "" {
		if n, err := x.s.stat(i.owner); err != nil {
			return false, err
		} else if n != nil && x.userFree(n.UID, i.name, true) {
			i.uid = n.UID
		}
	}
	if i.uid < 0 && i.gid >= 0 && x.userFree(i.gid, i.name, true) {
		i.uid = i.gid
	}
	if i.uid < 0 {
		uid, err := x.next(func(n int) bool { return x.userFree(n, i.name, true) })
		if err != nil {
			return false, err
		}
		i.uid = uid
	}
	x.newUID[i.uid] = i.name
	return true, nil
}

// write adds the lines of new accounts, and of members.
func (x *sysusers) write(groups, users []*sysusersItem) {
	for _, i := range groups {
		x.a.group.set(i.name, i.name, "x", strconv.Itoa(i.gid), "")
		x.a.gshadow.set(i.name, i.name, "!*", "", "")
	}
	for _, i := range users {
		shell := or(i.shell, "/usr/sbin/nologin")
		x.a.passwd.set(i.name, i.name, "x", strconv.Itoa(i.uid), strconv.Itoa(i.gid), i.comment, or(i.home, "/"), shell)
		expires := ""
		if i.locked {
			expires = "1"
		}
		x.a.shadow.set(i.name, i.name, "!*", x.s.today(), "", "", "", "", expires, "")
	}
	for _, t := range []*table{x.a.group, x.a.gshadow} {
		for _, m := range x.members {
			f := t.find(m[0])
			if f == nil || contains(f[fieldMembers], m[1]) {
				continue
			}
			list := append(members(f[fieldMembers]), m[1])
			slices.Sort(list)
			f[fieldMembers] = strings.Join(list, ",")
			t.set(f[0], f...)
		}
	}
}
