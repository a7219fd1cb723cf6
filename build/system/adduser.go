package system

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// debianOptions are the options of adduser and addgroup of Debian, and its settings.
type debianOptions struct {
	has    map[string]bool
	values map[string]string
	config map[string]string
	names  []string
}

// adduserSettings are those that adduser 3.134 has without /etc/adduser.conf.
var adduserSettings = map[string]string{
	"dshell": "/bin/bash", "first_system_uid": "100", "last_system_uid": "999", "first_uid": "1000",
	"last_uid": "59999", "first_system_gid": "100", "last_system_gid": "999", "first_gid": "1000",
	"last_gid": "59999", "dhome": "/home", "skel": "/etc/skel", "usergroups": "yes", "grouphomes": "no",
	"letterhomes": "no", "quotauser": "", "dir_mode": "0700", "sys_dir_mode": "0755", "setgid_home": "no",
	"skel_ignore_regex": ".(dpkg|ucf)-(old|new|dist)$", "extra_groups": "users", "add_extra_groups": "0",
	"name_regex": `^[a-z][a-z0-9_-]*\$?$`, "sys_name_regex": `^[a-z_][a-z0-9_-]*\$?$`,
	"uid_pool": "", "gid_pool": "", "users_gid": "", "users_group": "",
	// of deluser
	"system": "0", "only_if_empty": "0", "remove_home": "0", "home": "", "remove_all_files": "0", "backup": "0",
	"backup_to": ".", "backup_suffix": ".gz", "no_del_paths": "", "exclude_fstypes": "",
}

var setting = lazyregexp.New(`^\s*([_a-zA-Z0-9]+)\s*=\s*(.*)`)

// settings reads the files of settings of adduser and deluser.
func (s *System) settings(files ...string) (map[string]string, error) {
	c := maps.Clone(adduserSettings)
	for _, f := range files {
		text, err := s.read(f)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			m := setting.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil || line[0] == '#' {
				continue
			}
			name, value := strings.ToLower(m[1]), m[2]
			if _, known := c[name]; !known {
				continue
			}
			for _, q := range []string{`"`, `'`} {
				if len(value) > 1 && strings.HasPrefix(value, q) && strings.HasSuffix(value, q) {
					value = value[1 : len(value)-1]
				}
			}
			c[name] = value
		}
	}
	return c, nil
}

// variant returns what a program is a link to by its name, empty for a program of its own: that is
// busybox in Alpine, and useradd for adduser in Fedora.
func (s *System) variant(name string) (string, error) {
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		p, err := s.itself(dir + "/" + name)
		if err != nil {
			return "", err
		}
		n, err := s.Tree.Lstat(p)
		if err != nil {
			return "", err
		}
		if n == nil {
			continue
		}
		if n.Kind == layer.Symlink {
			return path.Base(n.Link), nil
		}
		return "", nil
	}
	if n, err := s.stat("/bin/busybox"); err != nil || n == nil {
		return "", err
	}
	return "busybox", nil
}

// adduser is Debian's, or BusyBox's where the system has that.
func adduser(s *System, args []string) error {
	return s.adding("adduser", args, func() error { return s.busyAddUser(args) })
}

// addgroup is Debian's, or BusyBox's where the system has that.
func addgroup(s *System, args []string) error {
	return s.adding("addgroup", args, func() error { return s.busyAddGroup(args) })
}

func (s *System) adding(name string, args []string, busy func() error) error {
	switch variant, err := s.variant(name); {
	case err != nil:
		return err
	case variant == "busybox":
		return busy()
	case variant == "useradd" || variant == "groupadd":
		return programs[variant](s, args)
	}
	o, err := s.readDebian(name, args)
	if err != nil {
		return err
	}
	return s.add(name, o)
}

// readDebian reads the options of adduser and addgroup.
func (s *System) readDebian(name string, args []string) (*debianOptions, error) {
	list, names, err := syntax{
		program: name, letters: "c:q",
		long: "add-extra-groups add_extra_groups=add-extra-groups allow-all-names allow-badname=allow-bad-names " +
			"allow-bad-names comment: conf=c debug disabled-login disabled-password firstgid: firstuid: " +
			"force-badname=allow-bad-names gecos: gid: group home: ingroup: lastgid: lastuid: no-create-home quiet=q " +
			"shell: system uid: verbose",
		single: true,
	}.parse(args)
	if err != nil {
		return nil, err
	}
	o := &debianOptions{has: map[string]bool{}, values: map[string]string{}, names: names}
	files := []string{"/etc/adduser.conf"}
	if slices.ContainsFunc(list, func(f option) bool { return f.key == "c" }) {
		files = nil
	}
	for _, f := range list {
		switch f.key {
		case "c":
			files = append(files, f.value)
		case "gecos":
			f.key = "comment"
		case "uid", "gid", "firstuid", "lastuid", "firstgid", "lastgid":
			if _, err := strconv.Atoi(f.value); err != nil {
				return nil, fail(name, 1, "Value %q invalid for option %s (number expected)", f.value, f.key)
			}
		}
		o.has[f.key], o.values[f.key] = true, f.value
	}
	if len(names) == 0 || len(names) > 2 || names[0] == "" {
		return nil, fail(name, 1, "Only one or two names allowed.")
	}
	o.config, err = s.settings(files...)
	if err == nil && (o.config["uid_pool"] != "" || o.config["gid_pool"] != "" || o.config["quotauser"] != "") {
		err = fmt.Errorf("%s: UID_POOL, GID_POOL and QUOTAUSER of /etc/adduser.conf are not known here: "+
			"use useradd", name)
	}
	return o, err
}

// add does what the options of adduser or addgroup ask for.
func (s *System) add(name string, o *debianOptions) error {
	a, err := s.accounts()
	if err != nil {
		return err
	}
	d := &debianAdd{s: s, a: a, o: o, me: name, uid: -1, gid: -1}
	groups := name == "addgroup" || o.has["group"] && !o.has["system"]
	if len(o.names) == 2 {
		if groups || o.has["system"] {
			return fail(name, 1, "Specify only one name in this mode.")
		}
		return d.userToGroup(o.names[0], o.names[1])
	}
	d.name = o.names[0]
	if home, ok := o.values["home"]; ok && !strings.HasPrefix(home, "/") {
		return fail(name, 1, "The home dir must be an absolute path.")
	}
	if n := count(o.has["group"], o.has["ingroup"], o.has["gid"]); name != "addgroup" && !groups && n > 1 {
		return fail(name, 1, "The --group, --ingroup, and --gid options are mutually exclusive.")
	}
	if err := d.checkName(); err != nil {
		return err
	}
	switch {
	case groups && o.has["system"]:
		return d.systemGroup()
	case groups:
		return d.group()
	case o.has["system"]:
		return d.systemUser()
	}
	return d.user()
}

func count(all ...bool) int {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

var (
	minimalName = lazyregexp.New(`^[^-+~:,\s/][^:,\s/]*$`)
	ieeeName    = lazyregexp.New(`^[_.A-Za-z0-9][-@_.A-Za-z0-9]*\$?$`)
	digits      = lazyregexp.New(`^[0-9]+$`)
)

// checkName checks the name of a new account as adduser does.
func (d *debianAdd) checkName() error {
	key := "name_regex"
	if d.o.has["system"] {
		key = "sys_name_regex"
	}
	allowed, err := regexp.Compile(d.o.config[key])
	if err != nil {
		return fmt.Errorf("%s: %s of /etc/adduser.conf is not known here: %w", d.me, strings.ToUpper(key), err)
	}
	switch {
	case digits.MatchString(d.name) || len(d.name) > 32 || !minimalName.MatchString(d.name):
	case allowed.MatchString(d.name), d.o.has["allow-all-names"],
		ieeeName.MatchString(d.name) && d.o.has["allow-bad-names"]:
		return nil
	}
	return fail(d.me, 1, "%s is not a valid name: it does not match %s", d.name, allowed)
}

func (o *debianOptions) setting(option, key string) int {
	if n := number(o.values[option]); n != 0 {
		return n
	}
	return number(o.config[key])
}
