package system

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// adduserSettings are those that adduser 3.134 has without /etc/adduser.conf.
var adduserSettings = map[string]string{
	"dshell": "/bin/bash", "first_system_uid": "100", "last_system_uid": "999", "first_uid": "1000",
	"last_uid": "59999", "first_system_gid": "100", "last_system_gid": "999", "first_gid": "1000",
	"last_gid": "59999", "dhome": "/home", "skel": "/etc/skel", "dir_mode": "0700", "sys_dir_mode": "0755",
	"skel_ignore_regex": ".(dpkg|ucf)-(old|new|dist)$",
}

// fixedSettings are those that may only have the value that they have in Debian.
var fixedSettings = map[string]string{
	"usergroups": "yes", "grouphomes": "no", "letterhomes": "no", "quotauser": "", "setgid_home": "no",
	"add_extra_groups": "0", "name_regex": normalNames, "sys_name_regex": systemNames,
	"uid_pool": "", "gid_pool": "", "users_gid": "100", "users_group": "users",
}

var setting = lazyregexp.New(`^\s*([_a-zA-Z0-9]+)\s*=\s*(.*)`)

// settings reads the settings of adduser.
func (s *System) settings() (map[string]string, error) {
	c := maps.Clone(adduserSettings)
	text, err := s.read("/etc/adduser.conf")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		m := setting.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		name, value := strings.ToLower(m[1]), m[2]
		for _, q := range []string{`"`, `'`} {
			if len(value) > 1 && strings.HasPrefix(value, q) && strings.HasSuffix(value, q) {
				value = value[1 : len(value)-1]
			}
		}
		if fixed, ok := fixedSettings[name]; ok && value != "" && value != fixed {
			return nil, fmt.Errorf("%s of /etc/adduser.conf is not known here: use useradd", m[1])
		}
		if _, ok := c[name]; ok {
			c[name] = value
		}
	}
	return c, nil
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

var nonexistent = lazyregexp.New(`^/+nonexistent(/|$)`)

// home makes the home directory, with the mode of a setting, and reports whether it was not there.
func (d *debianAdd) home(home, mode string) (bool, error) {
	if nonexistent.MatchString(home) || d.o.has("no-create-home") {
		return false, nil
	}
	n, err := strconv.ParseUint(d.config[mode], 8, 16)
	if err != nil {
		return false, fmt.Errorf("%s of /etc/adduser.conf is not a mode: %w", strings.ToUpper(mode), err)
	}
	perm := fs.FileMode(n) & fs.ModePerm
	if n&0o2000 != 0 {
		perm |= fs.ModeSetgid
	}
	return d.s.makeHome(home, perm, d.uid, d.gid)
}

// skel copies what a new home directory has.
func (d *debianAdd) skel(home string) error {
	ignore, err := regexp.Compile(d.config["skel_ignore_regex"])
	if err != nil {
		return fmt.Errorf("SKEL_IGNORE_REGEX of /etc/adduser.conf is not known here: %w", err)
	}
	return d.s.copyTree(d.config["skel"], home, d.uid, d.gid, func(name string) bool {
		return ignore.MatchString("./" + name)
	})
}
