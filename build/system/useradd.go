package system

import (
	"context"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// userOptions are those of useradd.
type userOptions struct {
	given    map[string]bool
	values   map[string]string
	keys     []string
	defaults map[string]string
	name     string
	groups   []string
	uid, gid int
}

func (o *userOptions) has(key string) bool { return o.given[key] }

// useradd is that of shadow 4.13.
func useradd(_ context.Context, s *System, args []string, _ io.Writer) error {
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
		long: "base-dir=b badname comment=c home-dir=d expiredate=e inactive=f add-subids-for-system=F gid=g groups=G " +
			"skel=k key=K no-log-init=l create-home=m no-create-home=M no-user-group=N non-unique=o password=p " +
			"system=r shell=s uid=u user-group=U",
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

// shadowLine returns the line of a new user in /etc/shadow.
func (a *accounts) shadowLine(o *userOptions, password string) ([]string, error) {
	line := []string{o.name, password, a.s.today(), "", "", "", "", "", ""}
	if o.has("r") {
		return line, nil
	}
	for i, key := range []string{"PASS_MIN_DAYS", "PASS_MAX_DAYS", "PASS_WARN_AGE"} {
		line[3+i] = day(a.defs.number(key, -1))
	}
	inactive, expires := o.defaults["INACTIVE"], o.defaults["EXPIRE"]
	if o.has("f") {
		inactive = o.values["f"]
	}
	if o.has("e") {
		expires = o.values["e"]
	}
	n, err := strconv.Atoi(inactive)
	if err != nil || n < -1 {
		return nil, fail("useradd", 3, "invalid numeric argument '%s'", inactive)
	}
	line[fieldInactive] = day(n)
	if n, err = parseDate("useradd", expires); err != nil {
		return nil, err
	}
	line[fieldExpires] = day(n)
	return line, nil
}

// today is the field of the last change: no aging on the first day, as shadow has it.
func (s *System) today() string {
	if s.Day == 0 {
		return ""
	}
	return strconv.Itoa(s.Day)
}

// day is a number of days in /etc/shadow; a negative one is left empty.
func day(n int) string {
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// parseDate returns a date as days since 1970: YYYY-MM-DD or that number; -1 for none.
func parseDate(program, s string) (int, error) {
	if s == "" || s == "-1" {
		return -1, nil
	}
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return n, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fail(program, 3, "invalid date '%s'", s)
	}
	return int(t.Unix() / (24 * 60 * 60)), nil
}

// addSubordinates gives a normal user subordinate numbers, where /etc/subuid and /etc/subgid
// exist.
func (a *accounts) addSubordinates(o *userOptions) error {
	normal := span{a.defs.number("UID_MIN", 1000), a.defs.number("UID_MAX", 60000)}
	if o.has("r") && !o.has("F") || o.has("u") && o.uid != 0 && (o.uid < normal.min || o.uid > normal.max) {
		return nil
	}
	for _, t := range []struct {
		*table
		kind string
	}{{a.subuid, "UID"}, {a.subgid, "GID"}} {
		if !t.there || a.defs.number("SUB_"+t.kind+"_COUNT", 65536) <= 0 {
			continue
		}
		if err := a.addSubordinate(t.table, t.kind, o.name); err != nil {
			return err
		}
	}
	return nil
}

// addHome makes the home directory, with what /etc/skel has.
func (s *System) addHome(a *accounts, o *userOptions) error {
	if !o.has("m") {
		return nil
	}
	skel := o.defaults["SKEL"]
	if o.has("k") {
		skel = o.values["k"]
	}
	mode := a.defs.number("HOME_MODE", 0o777&^a.defs.number("UMASK", 0o22))
	made, err := s.makeHome(o.home(), fs.FileMode(mode)&fs.ModePerm, o.uid, o.gid) //nolint:gosec // it is masked
	if err != nil || !made {
		return err
	}
	return s.copyTree(skel, o.home(), o.uid, o.gid, nil)
}

// addMail makes the mailbox of a user, where /etc/default/useradd asks for it.
func (s *System) addMail(a *accounts, o *userOptions) error {
	dir := a.defs["MAIL_DIR"]
	if !strings.EqualFold(o.defaults["CREATE_MAIL_SPOOL"], "yes") || dir == "" {
		return nil
	}
	box := tree.Node{Kind: layer.Regular, Mode: 0o600, UID: o.uid, GID: o.gid}
	if g := a.group.find("mail"); g != nil {
		box.Mode, box.GID = 0o660, number(g[fieldGroupID])
	}
	none := layer.Bytes(nil)
	box.Content = func() (layer.Content, error) { return none, nil }
	if n, err := s.stat(dir + "/" + o.name); err != nil || n != nil {
		return err
	}
	if ok, err := s.is(dir, layer.Dir); err != nil || !ok {
		return err
	}
	at, err := tree.Follow(s.Tree, dir+"/"+o.name)
	if err != nil {
		return err
	}
	return s.Tree.Set(at, &box)
}
