package system

import (
	"slices"
	"strconv"
	"strings"
)

// The fields of a line of each file of accounts.
const (
	passwdFields  = 7 // name, password, uid, gid, comment, home, shell
	shadowFields  = 9 // name, password, day of change, minimum, maximum, warning, inactive, expires, -
	groupFields   = 4 // name, password, gid, members
	gshadowFields = 4 // name, password, administrators, members
)

// Indexes of fields.
const (
	fieldUID   = 2
	fieldShell = 6

	fieldGroupID = 2
	fieldMembers = 3
)

// accounts are the files of users and groups, while one program changes them.
type accounts struct {
	s                              *System
	passwd, shadow, group, gshadow *table
	subuid, subgid                 *table
	defs                           definitions
}

func (s *System) accounts() (*accounts, error) {
	a := &accounts{s: s}
	for _, f := range []struct {
		t      **table
		path   string
		fields int
	}{
		{&a.passwd, "/etc/passwd", passwdFields},
		{&a.shadow, "/etc/shadow", shadowFields},
		{&a.group, "/etc/group", groupFields},
		{&a.gshadow, "/etc/gshadow", gshadowFields},
		{&a.subuid, "/etc/subuid", 3},
		{&a.subgid, "/etc/subgid", 3},
	} {
		t, err := s.table(f.path, f.fields)
		if err != nil {
			return nil, err
		}
		*f.t = t
	}
	var err error
	a.defs, err = s.definitions()
	return a, err
}

// save writes what changed, as shadow's programs do, with the lock that they leave behind.
func (a *accounts) save() error {
	n, err := a.s.Tree.Lstat("/etc/.pwd.lock")
	if err == nil && n == nil {
		err = a.s.Tree.WriteText("/etc/.pwd.lock", nil, 0o600)
	}
	if err != nil {
		return err
	}
	for _, t := range []*table{a.passwd, a.shadow, a.group, a.gshadow, a.subuid, a.subgid} {
		if err := a.s.save(t); err != nil {
			return err
		}
	}
	return nil
}

func (a *accounts) user(name string) []string { return a.passwd.find(name) }

func (a *accounts) uid(n int) []string {
	return a.passwd.search(func(f []string) bool { return numeric(f[fieldUID], n) })
}

func (a *accounts) gid(n int) []string {
	return a.group.search(func(f []string) bool { return numeric(f[fieldGroupID], n) })
}

func numeric(field string, n int) bool {
	v, err := strconv.Atoi(field)
	return err == nil && v == n
}

// groupOf returns the line of a group, by its name or number.
func (a *accounts) groupOf(s string) []string {
	if n, ok := parseID(s); ok {
		return a.gid(n)
	}
	return a.group.find(s)
}

// parseID reads the number of a user or group.
func parseID(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 0, 32)
	return int(n), err == nil && n < 1<<32-1 //nolint:gosec // it has 32 bits
}

// number is a field that is a number, 0 if it is none.
func number(field string) int {
	n, _ := strconv.Atoi(field)
	return n
}

func members(field string) []string {
	return slices.DeleteFunc(strings.Split(field, ","), func(s string) bool { return s == "" })
}

// join makes a user a member of groups: in /etc/group, and in /etc/gshadow where it has them.
func (a *accounts) join(user string, groups []string) {
	for _, t := range []*table{a.group, a.gshadow} {
		for _, f := range t.all() {
			list := members(f[fieldMembers])
			if slices.Contains(groups, f[0]) && !slices.Contains(list, user) {
				f[fieldMembers] = strings.Join(append(list, user), ",")
				t.set(f[0], f...)
			}
		}
	}
}

// addGroup adds a group without members, which is locked; shown is its password if /etc/gshadow is
// missing.
func (a *accounts) addGroup(name, shown string, gid int) {
	if a.gshadow.there {
		shown = "x"
		a.gshadow.set(name, name, "!", "", "")
	}
	a.group.set(name, name, shown, strconv.Itoa(gid), "")
}

// validName reports whether Debian's shadow takes a name for a new user or group.
func validName(name string) bool {
	return name != "" && len(name) <= 32 && !strings.ContainsRune("-~+", rune(name[0])) &&
		!strings.ContainsAny(name, ":,/ \t\n\v\f\r")
}

// printable reports whether a text can be a field of a line.
func printable(s string) bool { return !strings.ContainsAny(s, ":\n") }
