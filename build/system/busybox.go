package system

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Numbers of accounts that BusyBox gives away, as Alpine configures it.
const (
	busyFirstSystem = 100
	busyLastSystem  = 999
	busyLast        = 256000
)

// busyAddUser is adduser of BusyBox.
func (s *System) busyAddUser(args []string) error {
	const me = "adduser"
	list, names, err := syntax{
		program: me, letters: "h:g:s:G:DSHu:k:",
		long: "home=h gecos=g shell=s ingroup=G disabled-password=D empty-password=D system=S no-create-home=H uid=u " +
			"skel=k",
	}.parse(args)
	if err != nil {
		return err
	}
	has, v := map[string]bool{}, map[string]string{"g": "Linux User,,,", "k": "/etc/skel"}
	for _, o := range list {
		has[o.key], v[o.key] = true, o.value
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(names) == 2 && len(list) == 0:
		return s.busyJoin(a, names[0], names[1])
	case len(names) == 0 || len(names) > 2:
		return fail(me, 1, "it takes one or two names, and has %d", len(names))
	case !busyName(names[0]):
		return fail(me, 1, "illegal character in '%s'", names[0])
	}
	name := names[0]
	if !has["h"] {
		v["h"] = "/home/" + name
	}
	if !has["s"] {
		v["s"] = s.busyShell(a, has["S"])
	}
	if has["S"] && !has["G"] {
		v["G"] = "nogroup"
	}
	uid, gid, err := a.busyNumbers(name, has, v)
	if err != nil {
		return err
	}
	a.passwd.append(name, "x", strconv.Itoa(uid), strconv.Itoa(gid), v["g"], v["h"], v["s"])
	if a.shadow.there {
		a.shadow.append(name, "!", strconv.Itoa(s.Day), "0", "99999", "7", "", "", "")
	}
	if v["G"] != "" {
		a.busyInclude(name, v["G"])
	} else {
		a.busyGroup(name, gid)
	}
	if err := a.write(); err != nil || has["H"] {
		return err
	}
	return s.busyHome(v["h"], v["k"], uid, gid)
}

// busyName reports whether BusyBox takes a name.
func busyName(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case letter, c == '.' && i > 0, c == '-' && i > 0, c == '$' && i > 0 && i == len(name)-1:
		default:
			return false
		}
	}
	return name != "" && len(name) < 256
}

// busyShell is the shell of a new user: root's, and for a system account Alpine's nologin.
func (s *System) busyShell(a *accounts, system bool) string {
	if system {
		return "/sbin/nologin"
	}
	if s.Env != nil {
		if shell := s.Env("SHELL"); shell != "" {
			return shell
		}
	}
	if root := a.uid(0); root != nil && root[fieldShell] != "" {
		return root[fieldShell]
	}
	return "/bin/sh"
}

// busyNumbers finds the numbers of a new user and its group.
func (a *accounts) busyNumbers(name string, has map[string]bool, v map[string]string) (uid, gid int, err error) {
	const me = "adduser"
	gid = -1
	if v["G"] != "" {
		g := a.group.find(v["G"])
		if g == nil {
			return 0, 0, fail(me, 1, "unknown group %s", v["G"])
		}
		gid = number(g[fieldGroupID])
	}
	if a.user(name) != nil {
		return 0, 0, fail(me, 1, "user '%s' in use", name)
	}
	least, most := busyLastSystem+1, busyLast
	if has["S"] {
		least, most = busyFirstSystem, busyLastSystem
	}
	if has["u"] {
		if least, err = strconv.Atoi(v["u"]); err != nil || least < 0 || least > busyLast {
			return 0, 0, fail(me, 1, "number %s is not in 0..%d range", v["u"], busyLast)
		}
		most = least
	}
	for uid = least; a.uid(uid) != nil || gid < 0 && a.gid(uid) != nil; uid++ {
		if uid == most {
			return 0, 0, fail(me, 1, "uid '%d' in use", uid)
		}
	}
	if gid < 0 && a.group.find(name) != nil {
		return 0, 0, fail(me, 1, "group '%s' in use", name)
	}
	if gid < 0 {
		gid = uid
	}
	return uid, gid, nil
}

// busyHome makes a home directory, which has the setgid bit. One that exists gets another owner.
func (s *System) busyHome(home, skel string, uid, gid int) error {
	at, n, err := tree.Resolve(s.Tree, home)
	if err != nil {
		return err
	}
	if n == nil {
		parent, err := s.is(path.Dir(at), layer.Dir)
		if err != nil || !parent {
			return err // BusyBox says so, and goes on
		}
		if err := s.make(at, &tree.Node{Kind: layer.Dir, Mode: 0o755, UID: uid, GID: gid}); err != nil {
			return err
		}
		if err := s.copyTree(skel, at, uid, gid, func(string) bool { return false }); err != nil {
			return err
		}
	}
	if n, err = s.Tree.Lstat(at); err != nil || n.Kind != layer.Dir {
		return err
	}
	k := *n
	k.UID, k.GID, k.Mode = uid, gid, fs.ModeSetgid|0o755
	return s.Tree.Set(at, &k)
}

// busyAddGroup is addgroup of BusyBox.
func (s *System) busyAddGroup(args []string) error {
	const me = "addgroup"
	list, names, err := syntax{program: me, letters: "g:S", long: "gid=g system=S"}.parse(args)
	if err != nil {
		return err
	}
	has, v := map[string]bool{}, map[string]string{}
	for _, o := range list {
		has[o.key], v[o.key] = true, o.value
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(names) == 2 && !has["g"]:
		return s.busyJoin(a, names[0], names[1])
	case len(names) != 1:
		return fail(me, 1, "it takes one or two names, and has %d", len(names))
	case !busyName(names[0]):
		return fail(me, 1, "illegal character in '%s'", names[0])
	case a.group.find(names[0]) != nil:
		return fail(me, 1, "group '%s' in use", names[0])
	}
	gid, most := busyLastSystem+1, busyLast
	if has["S"] {
		gid, most = busyFirstSystem, busyLastSystem
	}
	if has["g"] {
		if gid, err = strconv.Atoi(v["g"]); err != nil || gid < 0 || gid > busyLast {
			return fail(me, 1, "number %s is not in 0..%d range", v["g"], busyLast)
		}
		most = gid
	}
	for ; a.gid(gid) != nil; gid++ {
		if gid == most {
			return fail(me, 1, "gid '%d' in use", gid)
		}
	}
	a.busyGroup(names[0], gid)
	return a.write()
}

func (a *accounts) busyGroup(name string, gid int) {
	a.group.append(name, "x", strconv.Itoa(gid), "")
	if a.gshadow.there {
		a.gshadow.append(name, "!", "", "")
	}
}

// busyJoin makes an existing user a member of a group.
func (s *System) busyJoin(a *accounts, user, group string) error {
	g := a.group.find(group)
	switch {
	case a.user(user) == nil:
		return fail("addgroup", 1, "unknown user %s", user)
	case g == nil:
		return fail("addgroup", 1, "unknown group %s", group)
	case contains(g[fieldMembers], user):
		return nil
	}
	a.busyInclude(user, group)
	return a.write()
}

func (a *accounts) busyInclude(user, group string) {
	if contains(a.group.find(group)[fieldMembers], user) {
		return
	}
	for _, t := range []*table{a.group, a.gshadow} {
		if f := t.find(group); f != nil {
			f[fieldMembers] = strings.TrimPrefix(f[fieldMembers]+","+user, ",")
			t.set(group, f...)
		}
	}
}

// append adds a line at the end.
func (t *table) append(fields ...string) {
	t.lines, t.changed = append(t.lines, strings.Join(fields, ":")), true
}
