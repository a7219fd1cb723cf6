package maintainer

import (
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// admin is the directory of dpkg's database.
const admin = "/var/lib/dpkg"

// stanza is a package in dpkg's database: its fields by name, with the names in lower case.
type stanza map[string]string

// status reads dpkg's database of packages, in the order of the file.
func (r *run) status() ([]stanza, error) {
	text, err := tree.ReadText(r.t, admin+"/status")
	if err != nil {
		return nil, err
	}
	var all []stanza
	var one stanza
	last := ""
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "":
			one = nil
		case line[0] == ' ' || line[0] == '\t':
			if one != nil {
				one[last] += "\n" + line
			}
		default:
			if one == nil {
				one = stanza{}
				all = append(all, one)
			}
			name, value, _ := strings.Cut(line, ":")
			last = strings.ToLower(name)
			one[last] = strings.TrimSpace(value)
		}
	}
	return all, nil
}

// named returns the packages that a name, with or without an architecture, or a pattern means.
func (r *run) named(name string) ([]stanza, error) {
	all, err := r.status()
	if err != nil {
		return nil, err
	}
	name, arch, _ := strings.Cut(name, ":")
	var found []stanza
	for _, p := range all {
		ok := p["package"] == name
		if strings.ContainsAny(name, "*?[") {
			ok = matches(name, p["package"])
		}
		if ok && (arch == "" || arch == "any" || p["architecture"] == arch) {
			found = append(found, p)
		}
	}
	return found, nil
}

// want, flag and state are the three words of Status.
func (s stanza) state() (want, flag, state string) {
	f := strings.Fields(s["status"])
	for len(f) < 3 {
		f = append(f, "")
	}
	return f[0], f[1], f[2]
}

// abbreviation is ii, rc and the like.
func (s stanza) abbreviation() string {
	want, flag, state := s.state()
	letter := map[string]string{
		"unknown": "u", "install": "i", "hold": "h", "deinstall": "r", "purge": "p",
		"not-installed": "n", "config-files": "c", "half-installed": "H", "unpacked": "U", "half-configured": "F",
		"triggers-awaited": "W", "triggers-pending": "t", "installed": "i",
	}
	last := " "
	if flag == "reinstreq" {
		last = "R"
	}
	return letter[want] + letter[state] + last
}

// id is the name of a package's files in info: with its architecture if it is Multi-Arch: same.
func (s stanza) id() string {
	if s["multi-arch"] == "same" {
		return s["package"] + ":" + s["architecture"]
	}
	return s["package"]
}

// files returns the files of a package, as info/NAME.list has them.
func (r *run) files(s stanza) ([]string, error) {
	text, err := tree.ReadText(r.t, admin+"/info/"+s.id()+".list")
	return lines(text), err
}
