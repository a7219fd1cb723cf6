package system

import (
	"strconv"
	"strings"
)

// userOptions are those of useradd.
type userOptions struct {
	given    map[string]bool
	values   map[string]string
	defaults map[string]string
	name     string
	groups   []string
	uid, gid int
}

func (o *userOptions) has(key string) bool { return o.given[key] }

// useradd is that of shadow 4.13.
func useradd(s *System, args []string) error {
	a, err := s.accounts()
	if err != nil {
		return err
	}
	o, err := a.readUserOptions(args)
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
	if err := s.addHome(a, o); err != nil || o.has("r") {
		return err
	}
	return s.addMail(a, o)
}

func (a *accounts) readUserOptions(args []string) (*userOptions, error) {
	list, names, err := syntax{
		program: "useradd",
		letters: "b:c:d:e:f:Fg:G:k:K:O:lmMNop:rs:u:U",
		long: "base-dir=b badname comment=c home-dir=d expiredate=e inactive=f add-subids-for-system=F gid=g " +
			"groups=G skel=k key=K no-log-init=l create-home=m no-create-home=M no-user-group=N non-unique=o " +
			"password=p system=r shell=s uid=u user-group=U",
	}.parse(args)
	if err != nil {
		return nil, err
	}
	o := &userOptions{given: map[string]bool{}, values: map[string]string{}, uid: -1}
	if o.defaults, err = a.s.defaults(); err != nil {
		return nil, err
	}
	for _, f := range list {
		o.given[f.key], o.values[f.key] = true, f.value
		if f.key == "K" || f.key == "O" {
			if err := a.defs.override("useradd", f.value); err != nil {
				return nil, err
			}
		}
	}
	if len(names) != 1 {
		return nil, fail("useradd", 2, "it takes one name, and has %d", len(names))
	}
	o.name = names[0]
	return o, a.resolveUserOptions(o)
}

// resolveUserOptions checks the values of options, and completes them by defaults.
func (a *accounts) resolveUserOptions(o *userOptions) error {
	for _, key := range []string{"b", "c", "d", "p", "s"} {
		v := o.values[key]
		if !printable(v) || o.has(key) && (key == "b" || key == "d") && !strings.HasPrefix(v, "/") ||
			key == "s" && v != "" && v[0] != '/' && v[0] != '*' {
			return fail("useradd", 3, "invalid value of -%s: '%s'", key, v)
		}
	}
	if o.has("g") {
		g := a.groupOf(o.values["g"])
		if g == nil {
			return fail("useradd", 6, "group '%s' does not exist", o.values["g"])
		}
		o.gid = number(g[fieldGroupID])
	}
	var err error
	if o.groups, err = a.groupNames("useradd", o.values["G"]); err != nil {
		return err
	}
	if o.has("u") {
		n, ok := parseID(o.values["u"])
		if !ok {
			return fail("useradd", 3, "invalid user ID '%s'", o.values["u"])
		}
		o.uid = n
	}
	if !o.has("g") && !o.has("N") && !o.has("U") && a.defs.yes("USERGROUPS_ENAB") {
		o.given["U"] = true
	}
	for _, pair := range []string{"Ug", "UN", "mM"} {
		if o.has(pair[:1]) && o.has(pair[1:]) {
			return fail("useradd", 2, "options -%c and -%c conflict", pair[0], pair[1])
		}
	}
	if !a.shadow.there && (o.has("e") && o.values["e"] != "" || o.has("f") && o.values["f"] != "-1") {
		return fail("useradd", 2, "shadow passwords required for -e and -f")
	}
	if o.has("o") && !o.has("u") || o.has("k") && !o.has("m") {
		return fail("useradd", 2, "-o is only allowed with -u, and -k only with -m")
	}
	if !o.has("g") {
		if g := a.groupOf(o.defaults["GROUP"]); g != nil {
			o.gid = number(g[fieldGroupID])
		} else {
			o.gid = 100
		}
	}
	if !o.has("r") && a.defs.yes("CREATE_HOME") {
		o.given["m"] = true
	}
	if o.has("M") {
		o.given["m"] = false
	}
	return nil
}

// groupNames returns the names of groups in a list of names and numbers.
func (a *accounts) groupNames(program, list string) ([]string, error) {
	var names []string
	if list == "" {
		return nil, nil
	}
	for _, s := range strings.Split(list, ",") {
		g := a.groupOf(s)
		if g == nil {
			return nil, fail(program, 6, "group '%s' does not exist", s)
		}
		names = append(names, g[0])
	}
	return names, nil
}

func (a *accounts) checkUser(o *userOptions) error {
	switch {
	case !o.has("badname") && !validName(o.name):
		return fail("useradd", 3, "invalid user name '%s': use --badname to ignore", o.name)
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
		a.addGroup(o.name, "", "!", o.gid)
	}
	return nil
}

// addUser adds the lines of a user.
func (a *accounts) addUser(o *userOptions) error {
	password := "!"
	if o.has("p") {
		password = o.values["p"]
	}
	shown := password
	if a.shadow.there {
		shown = "x"
		line, err := a.shadowLine(o, password)
		if err != nil {
			return err
		}
		a.shadow.set(o.name, line...)
	}
	shell := o.defaults["SHELL"]
	if o.has("s") {
		shell = o.values["s"]
	}
	a.passwd.set(o.name, o.name, shown, strconv.Itoa(o.uid), strconv.Itoa(o.gid), o.values["c"], o.home(), shell)
	if err := a.addSubordinates(o); err != nil {
		return err
	}
	a.join(o.name, o.groups)
	return nil
}

func (o *userOptions) home() string {
	if o.has("d") {
		return o.values["d"]
	}
	base := o.defaults["HOME"]
	if o.has("b") {
		base = o.values["b"]
	}
	return base + "/" + o.name
}
