package system

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// user is adduser for a normal user. It asks for a password and a comment, and gets no answer, as
// in a build.
func (d *debianAdd) user() error {
	given := d.uidOption()
	d.gidOption()
	if d.a.user(d.name) != nil {
		return fail(d.me, 1, "The user `%s' already exists.", d.name)
	}
	makeGroup, extra, err := d.primaryGroup()
	if err != nil {
		return err
	}
	option := d.gid
	if d.gid = -1; d.o.has["gid"] {
		d.gid = number(d.o.values["gid"])
	}
	if err := d.checkUserGroup(makeGroup); err != nil {
		return err
	}
	d.gid = option
	if !given {
		taken := []func(int) []string{d.a.uid, d.a.gid}
		if d.o.has["ingroup"] {
			taken = taken[:1]
		}
		least, most := d.o.setting("firstuid", "first_uid"), d.o.setting("lastuid", "last_uid")
		if d.o.config["usergroups"] != "yes" {
			least = min(least, d.o.setting("firstgid", "first_gid"))
			most = max(most, d.o.setting("lastgid", "last_gid"))
		}
		if d.uid, err = d.free(least, most, taken...); err != nil {
			return err
		}
	}
	if makeGroup {
		d.gid = d.uid
		if err := d.call(groupadd, "-g", strconv.Itoa(d.gid), d.name); err != nil {
			return err
		}
	}
	if err := d.newUser(); err != nil {
		return err
	}
	return d.joinExtra(extra)
}

// primaryGroup decides the group of a normal user, and those that it is a member of besides.
func (d *debianAdd) primaryGroup() (makeGroup bool, extra []string, err error) {
	c := d.o.config
	if c["users_gid"] != "" && c["users_group"] != "" {
		return false, nil, fail(d.me, 1, "USERS_GID and USERS_GROUP both given in configuration. This is an error.")
	}
	users := or(c["users_group"], "users")
	if n := number(c["users_gid"]); c["users_gid"] != "" {
		if users = ""; n != -1 {
			if g := d.a.gid(n); g != nil {
				users = g[0]
			}
		}
	}
	if ingroup := d.o.values["ingroup"]; ingroup != "" {
		if g := d.a.group.find(ingroup); g != nil {
			d.gid = number(g[fieldGroupID])
		}
	}
	own := strings.Contains(strings.ToLower(c["usergroups"]), "yes")
	chosen := d.o.has["ingroup"] || d.o.has["gid"]
	switch {
	case own && users != "":
		extra = []string{users}
	case !own && !chosen:
		g := d.a.group.find(users)
		if g == nil {
			return false, nil, fail(d.me, 1, "no primary GID for user set. User not created.")
		}
		d.gid = number(g[fieldGroupID])
	}
	return own && !chosen, extra, nil
}

// newUser adds the user with its home directory and its comment.
func (d *debianAdd) newUser() error {
	c := d.o.config
	home := d.o.values["home"]
	if home == "" {
		home = c["dhome"]
		if strings.Contains(strings.ToLower(c["grouphomes"]), "yes") {
			home += "/" + d.a.gid(d.gid)[0]
		}
		if strings.Contains(strings.ToLower(c["letterhomes"]), "yes") {
			home += "/" + d.name[:1]
		}
		home += "/" + d.name
	}
	shell := c["dshell"]
	if d.o.has["disabled-login"] {
		shell = "/usr/sbin/nologin"
	}
	shell = or(d.o.values["shell"], shell)
	err := d.call(useradd, "-d", home, "-g", strconv.Itoa(d.gid), "-s", shell, "-u", strconv.Itoa(d.uid), d.name)
	if err != nil {
		return err
	}
	if err := d.home(home, true); err != nil {
		return err
	}
	return d.comment(d.o.values["comment"])
}

// joinExtra makes the user a member of groups, as gpasswd -M does.
func (d *debianAdd) joinExtra(extra []string) error {
	if d.o.has["add-extra-groups"] || number(d.o.config["add_extra_groups"]) != 0 {
		extra = append(extra, strings.Fields(d.o.config["extra_groups"])...)
	}
	for _, name := range extra {
		g := d.a.group.find(name)
		if g == nil || contains(g[fieldMembers], d.name) {
			continue
		}
		var list []string
		for _, m := range members(g[fieldMembers]) {
			if d.a.user(m) != nil {
				list = append(list, m)
			}
		}
		for _, t := range []*table{d.a.group, d.a.gshadow} {
			if f := t.find(name); f != nil {
				f[fieldMembers] = strings.Join(append(list, d.name), ",")
				t.set(name, f...)
			}
		}
		if err := d.save(); err != nil {
			return err
		}
	}
	ok, err := d.s.is("/usr/local/sbin/adduser.local", layer.Regular)
	if ok {
		return fmt.Errorf("%s: /usr/local/sbin/adduser.local is a program, and none is run here: use useradd", d.me)
	}
	return err
}
