package system

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// debianAdd is one call of Debian's adduser or addgroup.
type debianAdd struct {
	s        *System
	a        *accounts
	o        *debianOptions
	me       string
	name     string
	uid, gid int // -1 as long as they are not known
}

// call runs one of shadow's programs, as adduser does, and reads the accounts again.
func (d *debianAdd) call(p Program, args ...string) error {
	err := p(d.s, args)
	if e := (*Exit)(nil); errors.As(err, &e) {
		return fail(d.me, 1, "%s", e.Error())
	}
	if err != nil {
		return err
	}
	a, err := d.s.accounts()
	d.a = a
	return err
}

// free returns the first number in a range that is free by all of the given look-ups.
func (d *debianAdd) free(least, most int, taken ...func(n int) []string) (int, error) {
numbers:
	for n := least; n <= most; n++ {
		for _, is := range taken {
			if is(n) != nil {
				continue numbers
			}
		}
		return n, nil
	}
	return 0, fail(d.me, 1, "No ID is available in the range %d-%d. `%s' was not created.", least, most, d.name)
}

// userToGroup is adduser USER GROUP.
func (d *debianAdd) userToGroup(user, group string) error {
	g := d.a.group.find(group)
	switch {
	case d.a.user(user) == nil:
		return fail(d.me, 1, "The user `%s' does not exist.", user)
	case g == nil:
		return fail(d.me, 1, "The group `%s' does not exist.", group)
	case contains(g[fieldMembers], user):
		return nil
	}
	return d.call(usermod, "-a", "-G", group, user)
}

func contains(list, name string) bool {
	for _, m := range members(list) {
		if m == name {
			return true
		}
	}
	return false
}

// gidOption reads --gid.
func (d *debianAdd) gidOption() bool {
	if d.o.has["gid"] {
		d.gid = number(d.o.values["gid"])
	}
	return d.o.has["gid"]
}

func (d *debianAdd) systemGroup() error {
	given := d.gidOption()
	if g := d.a.group.find(d.name); g != nil {
		gid := number(g[fieldGroupID])
		if gid >= number(d.o.config["first_system_gid"]) && gid <= number(d.o.config["last_system_gid"]) {
			return nil
		}
		return fail(d.me, 1, "The group `%s' already exists and is not a system group. Exiting.", d.name)
	}
	return d.newGroup(given, d.o.setting("firstgid", "first_system_gid"), d.o.setting("lastgid", "last_system_gid"))
}

func (d *debianAdd) group() error {
	given := d.gidOption()
	if d.a.group.find(d.name) != nil {
		return fail(d.me, 1, "The group `%s' already exists.", d.name)
	}
	return d.newGroup(given, d.o.setting("firstgid", "first_gid"), d.o.setting("lastgid", "last_gid"))
}

func (d *debianAdd) newGroup(given bool, least, most int) (err error) {
	if given && d.a.gid(d.gid) != nil {
		return fail(d.me, 1, "The GID `%d' is already in use.", d.gid)
	}
	if !given {
		if d.gid, err = d.free(least, most, d.a.gid); err != nil {
			return err
		}
	}
	return d.call(groupadd, "-g", strconv.Itoa(d.gid), d.name)
}

// checkUserGroup checks that the numbers of a new user are free, and its group exists.
func (d *debianAdd) checkUserGroup(makeGroup bool) error {
	if d.uid >= 0 && d.a.uid(d.uid) != nil {
		return fail(d.me, 1, "The UID %d is already in use.", d.uid)
	}
	ingroup := d.o.values["ingroup"]
	switch {
	case makeGroup && d.a.group.find(d.name) == nil && d.uid >= 0 && d.a.gid(d.uid) != nil:
		return fail(d.me, 1, "The GID %d is already in use.", d.uid)
	case makeGroup && d.a.group.find(d.name) != nil && !d.o.has["system"]:
		return fail(d.me, 1, "The group `%s' already exists.", d.name)
	case makeGroup:
	case ingroup != "" && d.a.group.find(ingroup) == nil:
		return fail(d.me, 1, "The group `%s' does not exist.", ingroup)
	case d.gid >= 0 && d.a.gid(d.gid) == nil:
		return fail(d.me, 1, "The GID %d does not exist.", d.gid)
	}
	return nil
}

// uidOption reads --uid.
func (d *debianAdd) uidOption() bool {
	if d.o.has["uid"] {
		d.uid = number(d.o.values["uid"])
	}
	return d.o.has["uid"]
}

// systemUser is adduser --system.
func (d *debianAdd) systemUser() (err error) {
	given, makeGroup := d.uidOption(), d.o.has["group"]
	least, most := d.o.setting("firstuid", "first_system_uid"), d.o.setting("lastuid", "last_system_uid")
	if u := d.a.user(d.name); u != nil {
		return d.existing(number(u[fieldUID]), given)
	}
	ingroup := d.o.values["ingroup"]
	if !d.gidOption() && ingroup == "" && !makeGroup {
		d.gid = 65534
		if g := d.a.group.find("nogroup"); g != nil {
			d.gid = number(g[fieldGroupID])
		}
	}
	if err := d.checkUserGroup(makeGroup); err != nil {
		return err
	}
	if !given {
		if d.uid, err = d.free(least, most, d.a.uid); err != nil {
			return err
		}
	}
	switch {
	case makeGroup && given:
		d.gid, ingroup = d.uid, d.name
	case makeGroup:
		ingroup = d.name
		d.gid, err = d.free(d.o.setting("firstgid", "first_system_gid"), d.o.setting("lastgid", "last_system_gid"),
			d.a.gid)
		if err != nil {
			return err
		}
	case d.gid >= 0:
		ingroup = d.a.gid(d.gid)[0]
	default:
		d.gid = number(d.a.group.find(ingroup)[fieldGroupID])
	}
	if makeGroup && d.a.group.find(d.name) == nil {
		if err := d.call(groupadd, "-g", strconv.Itoa(d.gid), d.name); err != nil {
			return err
		}
	}
	home, shell := or(d.o.values["home"], "/nonexistent"), or(d.o.values["shell"], "/usr/sbin/nologin")
	err = d.call(useradd, "-r", "-K", fmt.Sprintf("SYS_UID_MIN=%d", least), "-K", fmt.Sprintf("SYS_UID_MAX=%d", most),
		"-d", home, "-g", ingroup, "-s", shell, "-u", strconv.Itoa(d.uid), d.name)
	if err != nil {
		return err
	}
	if d.o.has["comment"] {
		if err := d.comment(d.o.values["comment"]); err != nil {
			return err
		}
	}
	return d.home(home, false)
}

// existing is adduser --system for a user that exists.
func (d *debianAdd) existing(uid int, given bool) error {
	isSystem := uid >= number(d.o.config["first_system_uid"]) && uid <= number(d.o.config["last_system_uid"])
	switch {
	case given && uid != d.uid && isSystem:
		return fail(d.me, 1, "The user `%s' already exists with a different UID. Exiting.", d.name)
	case isSystem && (!given || uid == d.uid):
		return nil
	}
	return fail(d.me, 1, "The user `%s' already exists, but is not a system user. Exiting.", d.name)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// comment sets a user's comment as chfn does, which is called for the first two parts and for each
// of the next three: four parts are there even if they are empty.
func (d *debianAdd) comment(text string) error {
	parts := strings.Split(text, ",")
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1] // as split of Perl
	}
	now := make([]string, 5)
	for n, p := range parts[:min(len(parts), len(now))] {
		if strings.ContainsAny(p, ":\n") || n < 4 && strings.Contains(p, "=") {
			return fail(d.me, 1, "chfn: invalid part of the comment: '%s'", p)
		}
		if now[n] = p; n == 0 && len(parts) > 1 {
			continue
		}
		u := d.a.user(d.name)
		u[fieldComment] = strings.Join(now[:max(4, n+1)], ",")
		d.a.passwd.set(u[0], u...)
		if err := d.save(); err != nil {
			return err
		}
	}
	return nil
}

// save writes what changed, and reads the accounts again, as one program after the other does.
func (d *debianAdd) save() error {
	err := d.a.save()
	if err == nil {
		d.a, err = d.s.accounts()
	}
	return err
}

var (
	nonexistent = lazyregexp.New(`^/+nonexistent(/|$)`)
	octal3      = lazyregexp.New(`[0-7]{3}`)
)

// home makes the home directory; skel asks for the files of /etc/skel.
func (d *debianAdd) home(home string, skel bool) error {
	if nonexistent.MatchString(home) || d.o.has["no-create-home"] {
		return nil
	}
	mode, key := "0700", "dir_mode"
	if d.o.has["system"] {
		mode, key = "755", "sys_dir_mode"
	}
	if m := d.o.config[key]; octal3.MatchString(m) {
		mode = m
	}
	n, err := strconv.ParseUint(mode, 8, 16)
	if err != nil {
		return fmt.Errorf("%s: %s of /etc/adduser.conf is no mode: %s", d.me, strings.ToUpper(key), mode)
	}
	perm := fs.FileMode(n) & fs.ModePerm
	setgid := strings.Contains(strings.ToLower(d.o.config["setgid_home"]), "yes")
	if setgid || n&0o2000 != 0 {
		perm |= fs.ModeSetgid
	}
	made, err := d.s.makeHome(home, perm, d.uid, d.gid)
	if err != nil || !made || !skel || d.o.config["skel"] == "" {
		return err
	}
	ignore, err := regexp.Compile(d.o.config["skel_ignore_regex"])
	if err != nil {
		return fmt.Errorf("%s: SKEL_IGNORE_REGEX of /etc/adduser.conf is not known here: %w", d.me, err)
	}
	return d.s.copyTree(d.o.config["skel"], home, d.uid, d.gid, func(name string) bool {
		return ignore.MatchString("./" + name)
	})
}
