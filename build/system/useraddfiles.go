package system

import (
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

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
