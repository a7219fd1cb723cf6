package system

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// debianAdd is one call of Debian's adduser or addgroup.
type debianAdd struct {
	s        *System
	a        *accounts
	o        options
	config   map[string]string
	me       string
	name     string
	uid, gid int // -1 as long as they are not known
}

// debianAdd does what the options of adduser or addgroup ask for, as those of Debian 12.
func (s *System) debianAdd(me string, args []string) error {
	o, names, err := syntax{
		program: me, letters: "q",
		long: "comment: disabled-login disabled-password gecos: gid: group home: ingroup: no-create-home quiet=q " +
			"shell: system uid:",
	}.parse(args)
	if err != nil {
		return err
	}
	d := &debianAdd{s: s, o: o, me: me, uid: -1, gid: -1}
	for key, n := range map[string]*int{"uid": &d.uid, "gid": &d.gid} {
		if !o.has(key) {
			continue
		}
		if *n, err = strconv.Atoi(o[key]); err != nil || *n < 0 {
			return fail(me, 1, "Value %q invalid for option %s (number expected)", o[key], key)
		}
	}
	if o.has("gecos") {
		o["comment"] = o["gecos"]
	}
	if len(names) == 0 || len(names) > 2 || names[0] == "" {
		return fail(me, 1, "Only one or two names allowed.")
	}
	if d.config, err = s.settings(); err != nil {
		return err
	}
	if d.a, err = s.accounts(); err != nil {
		return err
	}
	d.name = names[0]
	groups := me == "addgroup" || o.has("group") && !o.has("system")
	chosen := 0
	for _, key := range []string{"group", "ingroup", "gid"} {
		if o.has(key) {
			chosen++
		}
	}
	switch {
	case len(names) == 2 && (groups || o.has("system")):
		return fail(me, 1, "Specify only one name in this mode.")
	case len(names) == 2:
		return d.userToGroup(names[0], names[1])
	case o.has("home") && !strings.HasPrefix(o["home"], "/"):
		return fail(me, 1, "The home dir must be an absolute path.")
	case !groups && chosen > 1:
		return fail(me, 1, "The --group, --ingroup, and --gid options are mutually exclusive.")
	case len(d.name) > 32 || !normalName.MatchString(d.name) && !(o.has("system") && systemName.MatchString(d.name)):
		return fail(me, 1, "%s is not a valid name: it does not match %s", d.name, normalName)
	case groups:
		return d.group()
	}
	return d.user()
}

// What the name of a new account has to match, as NAME_REGEX and SYS_NAME_REGEX.
const (
	normalNames = `^[a-z][a-z0-9_-]*\$?$`
	systemNames = `^[a-z_][a-z0-9_-]*\$?$`
)

var normalName, systemName = lazyregexp.New(normalNames), lazyregexp.New(systemNames)

// call runs one of shadow's programs, as adduser does, and reads the accounts again.
func (d *debianAdd) call(p Program, args ...string) error {
	err := p(d.s, args)
	if e := (*Exit)(nil); errors.As(err, &e) {
		return fail(d.me, 1, "%s", e.Error())
	}
	if err != nil {
		return err
	}
	d.a, err = d.s.accounts()
	return err
}

// save writes what changed, and reads the accounts again, as one program after the other does.
func (d *debianAdd) save() error {
	return d.call(func(*System, []string) error { return d.a.save() })
}

// free returns the first number in the range of new accounts, of uid or gid, that is free by all of
// the given look-ups.
func (d *debianAdd) free(kind string, taken ...func(n int) []string) (int, error) {
	if d.o.has("system") {
		kind = "system_" + kind
	}
	least, most := number(d.config["first_"+kind]), number(d.config["last_"+kind])
	n, ok := free(least, most, taken...)
	if !ok {
		return 0, fail(d.me, 1, "No ID is available in the range %d-%d. `%s' was not created.", least, most, d.name)
	}
	return n, nil
}

// userToGroup is adduser USER GROUP.
func (d *debianAdd) userToGroup(user, group string) error {
	switch {
	case d.a.user(user) == nil:
		return fail(d.me, 1, "The user `%s' does not exist.", user)
	case d.a.group.find(group) == nil:
		return fail(d.me, 1, "The group `%s' does not exist.", group)
	case d.a.join(user, []string{group}):
		return d.a.save()
	}
	return nil
}

// group is addgroup.
func (d *debianAdd) group() (err error) {
	if g := d.a.group.find(d.name); g != nil {
		gid := number(g[fieldGroupID])
		if d.o.has("system") && gid >= number(d.config["first_system_gid"]) && gid <= number(d.config["last_system_gid"]) {
			return nil
		}
		return fail(d.me, 1, "The group `%s' already exists.", d.name)
	}
	if d.gid >= 0 && d.a.gid(d.gid) != nil {
		return fail(d.me, 1, "The GID `%d' is already in use.", d.gid)
	}
	if d.gid < 0 {
		if d.gid, err = d.free("gid", d.a.gid); err != nil {
			return err
		}
	}
	return d.call(groupadd, "-g", strconv.Itoa(d.gid), d.name)
}

// user is adduser. For a normal user it asks for a password and a comment, and gets no answer, as
// in a build.
func (d *debianAdd) user() error {
	system, ingroup := d.o.has("system"), d.o["ingroup"]
	if u := d.a.user(d.name); u != nil {
		uid := number(u[fieldUID])
		if system && uid >= number(d.config["first_system_uid"]) && uid <= number(d.config["last_system_uid"]) &&
			(d.uid < 0 || d.uid == uid) {
			return nil
		}
		return fail(d.me, 1, "The user `%s' already exists.", d.name)
	}
	makeGroup := d.o.has("group") || !system && ingroup == "" && d.gid < 0
	own := d.a.group.find(d.name)
	switch {
	case d.uid >= 0 && d.a.uid(d.uid) != nil:
		return fail(d.me, 1, "The UID %d is already in use.", d.uid)
	case makeGroup && own == nil && d.uid >= 0 && d.a.gid(d.uid) != nil:
		return fail(d.me, 1, "The GID %d is already in use.", d.uid)
	case makeGroup && own != nil && !system:
		return fail(d.me, 1, "The group `%s' already exists.", d.name)
	case makeGroup:
	case ingroup != "":
		g := d.a.group.find(ingroup)
		if g == nil {
			return fail(d.me, 1, "The group `%s' does not exist.", ingroup)
		}
		d.gid = number(g[fieldGroupID])
	case d.gid < 0:
		d.gid = 65534
		if g := d.a.group.find("nogroup"); g != nil {
			d.gid = number(g[fieldGroupID])
		}
	}
	if !makeGroup && d.a.gid(d.gid) == nil {
		return fail(d.me, 1, "The GID %d does not exist.", d.gid)
	}
	if err := d.numbers(makeGroup); err != nil {
		return err
	}
	group := strconv.Itoa(d.gid)
	if makeGroup {
		if group = d.name; own == nil {
			if err := d.call(groupadd, "-g", strconv.Itoa(d.gid), d.name); err != nil {
				return err
			}
		}
	}
	if system {
		return d.systemUser(group)
	}
	return d.normalUser(group)
}

// numbers finds the numbers of a new user, and of the group that is made for it.
func (d *debianAdd) numbers(makeGroup bool) (err error) {
	given, system := d.uid >= 0, d.o.has("system")
	if !given {
		taken := []func(int) []string{d.a.uid, d.a.gid}
		if system || d.o.has("ingroup") {
			taken = taken[:1]
		}
		if d.uid, err = d.free("uid", taken...); err != nil {
			return err
		}
	}
	switch {
	case makeGroup && (given || !system):
		d.gid = d.uid
	case makeGroup:
		d.gid, err = d.free("gid", d.a.gid)
	}
	return err
}

func (d *debianAdd) systemUser(group string) error {
	home := cmp.Or(d.o["home"], "/nonexistent")
	err := d.call(useradd, "-r", "-d", home, "-g", group, "-s", cmp.Or(d.o["shell"], "/usr/sbin/nologin"),
		"-u", strconv.Itoa(d.uid), d.name)
	if err == nil && d.o.has("comment") {
		err = d.comment(d.o["comment"])
	}
	if err != nil {
		return err
	}
	_, err = d.home(home, "sys_dir_mode")
	return err
}

func (d *debianAdd) normalUser(group string) error {
	home, shell := cmp.Or(d.o["home"], d.config["dhome"]+"/"+d.name), d.config["dshell"]
	if d.o.has("disabled-login") {
		shell = "/usr/sbin/nologin"
	}
	err := d.call(useradd, "-d", home, "-g", group, "-s", cmp.Or(d.o["shell"], shell), "-u", strconv.Itoa(d.uid), d.name)
	if err != nil {
		return err
	}
	made, err := d.home(home, "dir_mode")
	if err == nil && made && d.config["skel"] != "" {
		err = d.skel(home)
	}
	if err == nil {
		err = d.comment(d.o["comment"])
	}
	if err != nil {
		return err
	}
	if d.a.join(d.name, []string{"users"}) {
		if err := d.save(); err != nil {
			return err
		}
	}
	ok, err := d.s.is("/usr/local/sbin/adduser.local", layer.Regular)
	if ok {
		return errors.New("/usr/local/sbin/adduser.local is a program, and none is run here: use useradd")
	}
	return err
}
