package system

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// sysusersDirs have the files of systemd-sysusers; one of an earlier directory hides others of its
// name.
var sysusersDirs = []string{"/etc/sysusers.d", "/run/sysusers.d", "/usr/local/lib/sysusers.d", "/usr/lib/sysusers.d"}

// sysusers is one call of systemd-sysusers.
type sysusers struct {
	s              *System
	a              *accounts
	users, groups  []*sysusersItem
	members        [][2]string // group, user
	ranges         []span
	search         int // numbers below it were not tried yet
	newUID, newGID map[int]string
}

type sysusersItem struct {
	user                bool
	name, comment, home string
	shell, group, owner string // owner is a path whose owner decides
	uid, gid            int    // -1 for none
	strict, isNew       bool
	locked              bool // the account is expired, as u! of systemd 257 says
}

// systemdSysusers is that of systemd 252, with what 257 has besides.
func systemdSysusers(_ context.Context, s *System, args []string, _ io.Writer) error {
	list, files, err := syntax{program: "systemd-sysusers", long: "root: inline replace: no-pager"}.parse(args)
	if err != nil {
		return err
	}
	x := &sysusers{s: s, newUID: map[int]string{}, newGID: map[int]string{}}
	if x.a, err = s.accounts(); err != nil {
		return err
	}
	inline := false
	for _, o := range list {
		switch {
		case o.key == "inline":
			inline = true
		case o.key == "no-pager", o.key == "root" && strings.Trim(o.value, "/") == "":
		default:
			return syntax{program: "systemd-sysusers"}.unknown("--" + o.key)
		}
	}
	if inline {
		for _, l := range files {
			if err := x.line("the command line", l); err != nil {
				return err
			}
		}
	} else if err := x.files(files); err != nil {
		return err
	}
	x.implicit()
	return x.apply()
}

// files reads the named files, or all.
func (x *sysusers) files(names []string) error {
	if len(names) == 0 {
		for _, dir := range sysusersDirs {
			at, n, err := tree.Resolve(x.s.Tree, dir)
			if err != nil {
				return err
			}
			if n == nil || n.Kind != layer.Dir {
				continue
			}
			more, err := x.s.Tree.ReadDir(at)
			if err != nil {
				return err
			}
			for _, name := range more {
				if strings.HasSuffix(name, ".conf") {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	for _, name := range names {
		if err := x.file(name); err != nil {
			return err
		}
	}
	return nil
}

func (x *sysusers) file(name string) error {
	candidates := []string{name}
	if !path.IsAbs(name) {
		candidates = nil
		for _, dir := range sysusersDirs {
			candidates = append(candidates, dir+"/"+name)
		}
	}
	for _, p := range candidates {
		text, err := x.s.read(p)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		for l := range strings.Lines(string(text)) {
			if err := x.line(p, l); err != nil {
				return err
			}
		}
		return nil
	}
	return fail("systemd-sysusers", 1, "Failed to open '%s': No such file or directory", name)
}

// line reads a line: what it does, a name, a number, a comment, a home directory and a shell.
func (x *sysusers) line(file, line string) error {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || line[0] == ';' {
		return nil
	}
	wrong := func(why string) error { return fmt.Errorf("systemd-sysusers: %s: %q %s: correct it", file, line, why) }
	f, ok := fieldsOf(line)
	if !ok || len(f) < 2 || len(f) > 6 || strings.Contains(line, "%") {
		return wrong("is not known here")
	}
	for n, v := range f {
		if v == "-" {
			f[n] = ""
		}
	}
	f = append(f, make([]string, 6-len(f))...)
	if f[0] != "r" && !validName(f[1]) || !printable(f[3]) || !printable(f[4]) || !printable(f[5]) {
		return wrong("has a name or a text that is not valid")
	}
	i := &sysusersItem{
		user: f[0] == "u" || f[0] == "u!", locked: f[0] == "u!", name: f[1], comment: f[3], home: f[4], shell: f[5],
		uid: -1, gid: -1,
	}
	switch f[0] {
	case "m":
		x.members = append(x.members, [2]string{f[2], f[1]})
		return nil
	case "r":
		least, most, isRange := strings.Cut(f[2], "-")
		if !isRange {
			most = least
		}
		from, ok1 := parseID(least)
		to, ok2 := parseID(most)
		if !ok1 || !ok2 {
			return wrong("has no range of numbers")
		}
		x.ranges = append(x.ranges, span{from, to})
		return nil
	case "u", "u!", "g":
		if !i.number(f[2]) {
			return wrong("has no number")
		}
	default:
		return wrong("is not known here")
	}
	list := &x.groups
	if i.user {
		list = &x.users
	}
	if !slices.ContainsFunc(*list, func(k *sysusersItem) bool { return k.name == i.name }) {
		*list = append(*list, i)
	}
	return nil
}

// number reads UID, UID:GID, UID:GROUP, GID, or a path whose owner decides.
func (i *sysusersItem) number(s string) (ok bool) {
	if strings.HasPrefix(s, "/") {
		i.owner = s
		return true
	}
	if !i.user {
		if s != "" {
			i.gid, ok = parseID(s)
		}
		return s == "" || ok
	}
	uid, gid, pair := strings.Cut(s, ":")
	if pair {
		if i.gid, ok = parseID(gid); ok {
			i.strict = true
		} else {
			i.gid, i.group = -1, gid
		}
	}
	if uid == "" || uid == "-" {
		return true
	}
	i.uid, ok = parseID(uid)
	return ok
}

// fieldsOf splits a line at blanks that no quotes have.
func fieldsOf(line string) (list []string, ok bool) {
	var b strings.Builder
	quote, word := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(c)
		case c == '"' || c == '\'':
			quote, word = c, true
		case c == '\\':
			return nil, false
		case c == ' ' || c == '\t':
			if word {
				list = append(list, b.String())
				b.Reset()
				word = false
			}
		default:
			b.WriteRune(c)
			word = true
		}
	}
	if word {
		list = append(list, b.String())
	}
	return list, quote == 0
}

// implicit adds the users and groups of lines that make members.
func (x *sysusers) implicit() {
	named := func(list []*sysusersItem, name string) bool {
		return slices.ContainsFunc(list, func(i *sysusersItem) bool { return i.name == name })
	}
	for _, m := range x.members {
		if !named(x.users, m[1]) {
			x.users = append(x.users, &sysusersItem{user: true, name: m[1], uid: -1, gid: -1})
		}
		if !named(x.users, m[0]) && !named(x.groups, m[0]) {
			x.groups = append(x.groups, &sysusersItem{name: m[0], uid: -1, gid: -1})
		}
	}
}
