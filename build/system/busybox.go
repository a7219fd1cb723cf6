package system

import (
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// busyLast is the largest number of an account that BusyBox gives away, as Alpine configures it.
const busyLast = 256000

// busyName is what BusyBox takes as a name.
var busyName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$`)

// busyAddUser is adduser of BusyBox.
func (s *System) busyAddUser(args []string) error {
	const me = "adduser"
	o, names, err := syntax{
		program: me, letters: "h:g:s:G:DSHu:",
		long: "home=h gecos=g shell=s ingroup=G disabled-password=D empty-password=D system=S no-create-home=H uid=u",
	}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(names) == 2 && len(o) == 0:
		return a.busyJoin(names[0], names[1])
	case len(names) == 0 || len(names) > 2:
		return fail(me, 1, "it takes one or two names, and has %d", len(names))
	case !busyName.MatchString(names[0]):
		return fail(me, 1, "illegal character in '%s'", names[0])
	}
	name := names[0]
	for key, value := range map[string]string{
		"g": "Linux User,,,", "h": "/home/" + name, "s": s.busyShell(a, o.has("S")),
	} {
		if !o.has(key) {
			o[key] = value
		}
	}
	if o.has("S") && !o.has("G") {
		o["G"] = "nogroup"
	}
	uid, gid, err := a.busyNumbers(name, o)
	if err != nil {
		return err
	}
	a.passwd.set(name, name, "x", strconv.Itoa(uid), strconv.Itoa(gid), o["g"], o["h"], o["s"])
	if a.shadow.there {
		a.shadow.set(name, name, "!", strconv.Itoa(s.Day), "0", "99999", "7", "", "", "")
	}
	if o["G"] != "" {
		a.join(name, []string{o["G"]})
	} else {
		a.addGroup(name, "x", gid)
	}
	if err := a.write(); err != nil || o.has("H") {
		return err
	}
	return s.busyHome(o["h"], uid, gid)
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
func (a *accounts) busyNumbers(name string, o options) (uid, gid int, err error) {
	const me = "adduser"
	gid = -1
	taken := []func(int) []string{a.uid, a.gid}
	if o["G"] != "" {
		g := a.group.find(o["G"])
		if g == nil {
			return 0, 0, fail(me, 1, "unknown group %s", o["G"])
		}
		gid, taken = number(g[fieldGroupID]), taken[:1]
	}
	if a.user(name) != nil {
		return 0, 0, fail(me, 1, "user '%s' in use", name)
	}
	if uid, err = busyFree(me, o, "u", taken...); err != nil {
		return 0, 0, err
	}
	if gid < 0 && a.group.find(name) != nil {
		return 0, 0, fail(me, 1, "group '%s' in use", name)
	}
	if gid < 0 {
		gid = uid
	}
	return uid, gid, nil
}

// busyFree returns the number of a new account: that of an option, or the first that is free.
func busyFree(me string, o options, key string, taken ...func(int) []string) (n int, err error) {
	least, most := 1000, busyLast
	if o.has("S") {
		least, most = 100, 999
	}
	if o.has(key) {
		if least, err = strconv.Atoi(o[key]); err != nil || least < 0 || least > busyLast {
			return 0, fail(me, 1, "number %s is not in 0..%d range", o[key], busyLast)
		}
		most = least
	}
	for n := least; n <= most; n++ {
		if !slices.ContainsFunc(taken, func(is func(int) []string) bool { return is(n) != nil }) {
			return n, nil
		}
	}
	return 0, fail(me, 1, "number '%d' in use", most)
}

// busyHome makes a home directory, which has the setgid bit. One that exists gets another owner.
func (s *System) busyHome(home string, uid, gid int) error {
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
		if err := s.copyTree("/etc/skel", at, uid, gid, false); err != nil {
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
	o, names, err := syntax{program: me, letters: "g:S", long: "gid=g system=S"}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(names) == 2 && !o.has("g"):
		return a.busyJoin(names[0], names[1])
	case len(names) != 1:
		return fail(me, 1, "it takes one or two names, and has %d", len(names))
	case !busyName.MatchString(names[0]):
		return fail(me, 1, "illegal character in '%s'", names[0])
	case a.group.find(names[0]) != nil:
		return fail(me, 1, "group '%s' in use", names[0])
	}
	gid, err := busyFree(me, o, "g", a.gid)
	if err != nil {
		return err
	}
	a.addGroup(names[0], "x", gid)
	return a.write()
}

// busyJoin makes an existing user a member of a group.
func (a *accounts) busyJoin(user, group string) error {
	g := a.group.find(group)
	switch {
	case a.user(user) == nil:
		return fail("addgroup", 1, "unknown user %s", user)
	case g == nil:
		return fail("addgroup", 1, "unknown group %s", group)
	}
	a.join(user, []string{group})
	return a.write()
}
