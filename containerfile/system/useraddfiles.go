package system

import (
	"io/fs"
	"strconv"
)

// shadowLine returns the line of a new user in /etc/shadow.
func (a *accounts) shadowLine(o *userOptions, password string) []string {
	line := []string{o.name, password, "", "", "", "", "", "", ""}
	if a.s.Day > 0 { // no aging on the first day, as shadow has it
		line[2] = strconv.Itoa(a.s.Day)
	}
	for i, key := range []string{"PASS_MIN_DAYS", "PASS_MAX_DAYS", "PASS_WARN_AGE"} {
		if n := a.defs.number(key, -1); n >= 0 && !o.has("r") {
			line[3+i] = strconv.Itoa(n)
		}
	}
	return line
}

// addSubordinates gives a normal user subordinate numbers, where /etc/subuid and /etc/subgid
// exist.
func (a *accounts) addSubordinates(o *userOptions) error {
	normal := span{a.defs.number("UID_MIN", 1000), a.defs.number("UID_MAX", 60000)}
	if o.has("r") || o.has("u") && o.uid != 0 && (o.uid < normal.min || o.uid > normal.max) {
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
	mode := a.defs.number("HOME_MODE", 0o777&^a.defs.number("UMASK", 0o22))
	made, err := s.makeHome(o.home(), fs.FileMode(mode)&fs.ModePerm, o.uid, o.gid) //nolint:gosec // it is masked
	if err != nil || !made {
		return err
	}
	return s.copyTree(o.defaults["SKEL"], o.home(), o.uid, o.gid)
}
