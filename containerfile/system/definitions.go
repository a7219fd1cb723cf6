package system

import (
	"errors"
	"strconv"
	"strings"
)

// definitions are the settings of /etc/login.defs.
type definitions map[string]string

func (s *System) definitions() (definitions, error) {
	text, err := s.read("/etc/login.defs")
	if err != nil {
		return nil, err
	}
	d := definitions{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if name == "" || name[0] == '#' {
			continue
		}
		d[name] = strings.Trim(value, " \"")
	}
	return d, nil
}

// number returns a setting as a number: with a leading 0 it is octal, as in C.
func (d definitions) number(name string, otherwise int) int {
	n, err := strconv.ParseInt(d[name], 0, 64)
	if err != nil {
		return otherwise
	}
	return int(n)
}

func (d definitions) yes(name string) bool { return strings.EqualFold(d[name], "yes") }

// defaults are the settings of /etc/default/useradd, with those that Debian compiles in.
func (s *System) defaults() (map[string]string, error) {
	text, err := s.read("/etc/default/useradd")
	if err != nil {
		return nil, err
	}
	d := map[string]string{
		"GROUP": "100", "HOME": "/home", "SHELL": "/bin/bash", "INACTIVE": "-1", "EXPIRE": "",
		"SKEL": "/etc/skel", "CREATE_MAIL_SPOOL": "no",
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "=")
		if _, known := d[name]; ok && known && (value != "" || name != "SKEL") {
			d[name] = value
		}
	}
	if d["INACTIVE"] != "-1" || d["EXPIRE"] != "" {
		return nil, errors.New("/etc/default/useradd: INACTIVE and EXPIRE are not known here: leave them out")
	}
	return d, nil
}
