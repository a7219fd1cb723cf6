package system

import (
	"errors"
	"strconv"
	"strings"
)

type userOptions struct {
	Options
	defaults map[string]string
	name     string
	groups   []string
	uid, gid int
}

// useradd is that of shadow 4.13.
func useradd(s *System, given Options, names []string) error {
	a, err := s.accounts()
	if err != nil {
		return err
	}
	o, err := a.readUserOptions(given, names)
	if err != nil {
		return err
	}
	if err := a.checkUser(o); err != nil {
		return err
	}
	if err := a.number(o); err != nil {
		return err
	}
	if err := a.addUser(o); err != nil {
		return err
	}
	if err := a.save(); err != nil {
		return err
	}
	return s.addHome(a, o)
}

func (a *accounts) readUserOptions(given Options, names []string) (_ *userOptions, err error) {
	if len(names) != 1 {
		return nil, fail("useradd", 2, "it takes one name, and has %d", len(names))
	}
	o := &userOptions{Options: given, name: names[0], uid: -1}
	if o.defaults, err = a.s.defaults(); err != nil {
		return nil, err
	}
	if strings.EqualFold(o.defaults["CREATE_MAIL_SPOOL"], "yes") && a.defs["MAIL_DIR"] != "" && !o.has("r") {
		return nil, errors.New("/etc/default/useradd has it make a mailbox, which is not supported: use useradd -r")
	}
	return o, a.resolveUserOptions(o)
}

// resolveUserOptions checks the values of options, and completes them by defaults.
func (a *accounts) resolveUserOptions(o *userOptions) error {
	for _, key := range []string{"c", "d", "p", "s"} {
		v := o.Options[key]
		if !printable(v) || o.has(key) && key == "d" && !strings.HasPrefix(v, "/") ||
			key == "s" && v != "" && v[0] != '/' && v[0] != '*' {
			return fail("useradd", 3, "invalid value of -%s: '%s'", key, v)
		}
	}
	if o.has("g") {
		g := a.groupOf(o.Options["g"])
		if g == nil {
			return fail("useradd", 6, "group '%s' does not exist", o.Options["g"])
		}
		o.gid = number(g[fieldGroupID])
	}
	var err error
	if o.groups, err = a.groupNames(o.Options["G"]); err != nil {
		return err
	}
	if o.has("u") {
		n, ok := parseID(o.Options["u"])
		if !ok {
			return fail("useradd", 3, "invalid user ID '%s'", o.Options["u"])
		}
		o.uid = n
	}
	if !o.has("g") && !o.has("N") && a.defs.yes("USERGROUPS_ENAB") {
		o.Options["U"] = ""
	}
	for _, pair := range []string{"Ug", "UN", "mM"} {
		if o.has(pair[:1]) && o.has(pair[1:]) {
			return fail("useradd", 2, "options -%c and -%c conflict", pair[0], pair[1])
		}
	}
	if o.has("o") && !o.has("u") {
		return fail("useradd", 2, "-o is only allowed with -u")
	}
	if !o.has("g") {
		if g := a.groupOf(o.defaults["GROUP"]); g != nil {
			o.gid = number(g[fieldGroupID])
		} else {
			o.gid = 100
		}
	}
	if !o.has("r") && !o.has("M") && a.defs.yes("CREATE_HOME") {
		o.Options["m"] = ""
	}
	return nil
}

// groupNames returns the names of groups in a list of names and numbers.
func (a *accounts) groupNames(list string) ([]string, error) {
	var names []string
	if list == "" {
		return nil, nil
	}
	for _, s := range strings.Split(list, ",") {
		g := a.groupOf(s)
		if g == nil {
			return nil, fail("useradd", 6, "group '%s' does not exist", s)
		}
		names = append(names, g[0])
	}
	return names, nil
}

func (a *accounts) checkUser(o *userOptions) error {
	switch {
	case !validName(o.name):
		return fail("useradd", 3, "invalid user name '%s'", o.name)
	case a.user(o.name) != nil:
		return fail("useradd", 9, "user '%s' already exists", o.name)
	case o.has("U") && a.group.find(o.name) != nil:
		return fail("useradd", 9,
			"group %s exists - if you want to add this user to that group, use -g.", o.name)
	case o.has("u") && !o.has("o") && a.uid(o.uid) != nil:
		return fail("useradd", 4, "UID %d is not unique", o.uid)
	}
	return nil
}

// number finds the numbers of the user and of its group.
func (a *accounts) number(o *userOptions) (err error) {
	if !o.has("u") {
		if o.uid, err = a.newUID(o.has("r")); err != nil {
			return err
		}
	}
	if o.has("U") {
		if o.gid, err = a.newGID(o.has("r"), o.uid); err != nil {
			return err
		}
		a.addGroup(o.name, "!", o.gid)
	}
	return nil
}

func (a *accounts) addUser(o *userOptions) error {
	password := "!"
	if o.has("p") {
		password = o.Options["p"]
	}
	shown := password
	if a.shadow.there {
		shown = "x"
		a.shadow.set(o.name, a.shadowLine(o, password)...)
	}
	shell := o.defaults["SHELL"]
	if o.has("s") {
		shell = o.Options["s"]
	}
	a.passwd.set(o.name, o.name, shown, strconv.Itoa(o.uid), strconv.Itoa(o.gid), o.Options["c"], o.home(), shell)
	if err := a.addSubordinates(o); err != nil {
		return err
	}
	a.join(o.name, o.groups)
	return nil
}

func (o *userOptions) home() string {
	if o.has("d") {
		return o.Options["d"]
	}
	return o.defaults["HOME"] + "/" + o.name
}

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
