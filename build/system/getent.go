package system

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// getent is glibc's, for passwd, group, shadow and gshadow.
func getent(_ context.Context, s *System, args []string, out io.Writer) error {
	const me = "getent"
	_, words, err := syntax{program: me, strict: true}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return fail(me, 1, "wrong number of arguments")
	}
	tables := map[string]*table{"passwd": a.passwd, "group": a.group, "shadow": a.shadow, "gshadow": a.gshadow}
	t, ok := tables[words[0]]
	if !ok {
		return fmt.Errorf("%s: database %s is not known here, only %s", me, words[0],
			strings.Join(sortedKeys(tables), ", "))
	}
	if len(words) == 1 {
		for _, f := range t.all() {
			if _, err := fmt.Fprintln(out, strings.Join(f, ":")); err != nil {
				return err
			}
		}
		return nil
	}
	for _, key := range words[1:] {
		f := t.find(key)
		if n, ok := parseID(key); f == nil && ok && (t == a.passwd || t == a.group) {
			f = t.search(func(f []string) bool { return numeric(f[fieldGroupID], n) })
		}
		if f == nil {
			return fail(me, 2, "%s has no %s", words[0], key)
		}
		if _, err := fmt.Fprintln(out, strings.Join(f, ":")); err != nil {
			return err
		}
	}
	return nil
}

// id is that of coreutils, with a user and one of -u, -g and -G.
func id(_ context.Context, s *System, args []string, out io.Writer) error {
	const me = "id"
	list, names, err := syntax{program: me, letters: "ugGnr", long: "user=u group=g groups=G name=n real=r"}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, o := range list {
		has[o.key] = true
	}
	name := "root"
	if len(names) > 0 {
		name = names[0]
	}
	u := a.user(name)
	if n, ok := parseID(name); u == nil && ok {
		u = a.uid(n)
	}
	if u == nil {
		return fail(me, 1, "'%s': no such user", name)
	}
	_, err = fmt.Fprintln(out, a.describe(u, has))
	return err
}

// describe returns what id prints of a user.
func (a *accounts) describe(u []string, has map[string]bool) string {
	groups := []string{u[fieldGID]}
	for _, g := range a.group.all() {
		if contains(g[fieldMembers], u[0]) && !slices.Contains(groups, g[fieldGroupID]) {
			groups = append(groups, g[fieldGroupID])
		}
	}
	nameOf := func(gid string) string {
		if g := a.gid(number(gid)); g != nil {
			return g[0]
		}
		return gid
	}
	switch {
	case has["u"] && has["n"]:
		return u[0]
	case has["u"]:
		return u[fieldUID]
	case has["g"] && has["n"]:
		return nameOf(u[fieldGID])
	case has["g"]:
		return u[fieldGID]
	case has["G"] && has["n"]:
		for n, g := range groups {
			groups[n] = nameOf(g)
		}
		return strings.Join(groups, " ")
	case has["G"]:
		return strings.Join(groups, " ")
	}
	var all []string
	for _, g := range groups {
		all = append(all, g+"("+nameOf(g)+")")
	}
	return fmt.Sprintf("uid=%s(%s) gid=%s groups=%s", u[fieldUID], u[0], all[0], strings.Join(all, ","))
}
