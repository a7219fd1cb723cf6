package system

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// userChange is what usermod changes of one user.
type userChange struct {
	name           string
	has            map[string]bool
	values         map[string]string
	old, now       []string // the lines of /etc/passwd
	groups         []string
	uid, gid       int // before
	newUID, newGID int
}

// usermod is that of shadow 4.13.
func usermod(s *System, args []string) error {
	a, err := s.accounts()
	if err != nil {
		return err
	}
	c, err := a.readUserChange(args)
	if err != nil {
		return err
	}
	if !c.any("UuspLlGgfedcvVwW") {
		return nil
	}
	if c.any("cdefgLlpsuU") {
		a.passwd.rename(c.name, c.now)
		if err := a.changeShadow(c); err != nil {
			return err
		}
	}
	if c.has["G"] || c.has["l"] {
		a.changeGroups(c)
	}
	if err := a.changeSubordinates(c); err != nil {
		return err
	}
	if err := a.save(); err != nil {
		return err
	}
	return s.changeHome(a, c)
}

func (a *accounts) readUserChange(args []string) (*userChange, error) {
	const me = "usermod"
	list, names, err := syntax{
		program: me,
		letters: "ac:d:e:f:g:G:l:Lop:rs:u:Uv:w:V:W:b",
		long: "append=a badname=b comment=c home=d expiredate=e inactive=f gid=g groups=G login=l lock=L " +
			"non-unique=o password=p remove=r shell=s uid=u unlock=U add-subuids=v add-subgids=w del-subuids=V " +
			"del-subgids=W",
	}.parse(args)
	if err != nil {
		return nil, err
	}
	c := &userChange{has: map[string]bool{}, values: map[string]string{}}
	for _, o := range list {
		if o.key == "v" || o.key == "w" || o.key == "V" || o.key == "W" {
			o.value = strings.TrimPrefix(c.values[o.key]+" "+o.value, " ")
		}
		c.has[o.key], c.values[o.key] = true, o.value
	}
	if len(names) != 1 {
		return nil, fail(me, 2, "it takes one name, and has %d", len(names))
	}
	c.name = names[0]
	if c.old = a.user(c.name); c.old == nil {
		return nil, fail(me, 6, "user '%s' does not exist", c.name)
	}
	switch {
	case len(list) == 0:
		return nil, fail(me, 2, "no options")
	case (c.has["a"] || c.has["r"]) && !c.has["G"], c.has["a"] && c.has["r"], c.has["o"] && !c.has["u"],
		c.has["L"] && (c.has["p"] || c.has["U"]), c.has["p"] && c.has["U"]:
		return nil, fail(me, 2, "these options do not go together: %s", strings.Join(args, " "))
	}
	return c, a.resolveUserChange(c)
}

// resolveUserChange completes the new line, and drops options that change nothing.
func (a *accounts) resolveUserChange(c *userChange) error {
	const me = "usermod"
	for _, key := range []string{"c", "d", "p", "s"} {
		if v := c.values[key]; !printable(v) || key == "s" && v != "" && v[0] != '/' && v[0] != '*' ||
			key == "d" && c.has["d"] && v != "" && v[0] != '/' {
			return fail(me, 3, "invalid value of -%s: '%s'", key, v)
		}
	}
	c.uid, c.gid = number(c.old[fieldUID]), number(c.old[fieldGID])
	c.newUID, c.newGID = c.uid, c.gid
	if c.has["u"] {
		n, ok := parseID(c.values["u"])
		if !ok {
			return fail(me, 3, "invalid user ID '%s'", c.values["u"])
		}
		c.newUID = n
	}
	if c.has["g"] {
		g := a.groupOf(c.values["g"])
		if g == nil {
			return fail(me, 6, "group '%s' does not exist", c.values["g"])
		}
		c.newGID = number(g[fieldGroupID])
	}
	var err error
	if c.groups, err = a.groupNames(me, c.values["G"]); err != nil {
		return err
	}
	c.now = slices.Clone(c.old)
	c.now[fieldUID], c.now[fieldGID] = strconv.Itoa(c.newUID), strconv.Itoa(c.newGID)
	for key, n := range map[string]int{"l": 0, "c": fieldComment, "d": fieldHome, "s": fieldShell} {
		if c.has[key] {
			c.now[n] = c.values[key]
			c.has[key] = c.now[n] != c.old[n]
		}
	}
	if home := c.now[fieldHome]; c.has["d"] && len(home) > 1 {
		c.now[fieldHome] = strings.TrimSuffix(home, "/")
	}
	c.has["u"], c.has["g"] = c.newUID != c.uid, c.newGID != c.gid
	switch {
	case c.has["l"] && !c.has["b"] && !validName(c.now[0]):
		return fail(me, 3, "invalid user name '%s': use --badname to ignore", c.now[0])
	case c.has["l"] && a.user(c.now[0]) != nil:
		return fail(me, 9, "user '%s' already exists", c.now[0])
	case c.has["u"] && !c.has["o"] && a.uid(c.newUID) != nil:
		return fail(me, 4, "UID '%d' already exists", c.newUID)
	case (c.has["e"] || c.has["f"]) && !a.shadow.there:
		return fail(me, 2, "shadow passwords required for -e and -f")
	}
	if !a.shadow.there || c.now[fieldPassword] != "x" {
		c.now[fieldPassword] = c.password(c.now[fieldPassword])
	}
	return nil
}

// any reports whether one of some options changes anything.
func (c *userChange) any(letters string) bool {
	return slices.ContainsFunc(strings.Split(letters, ""), func(k string) bool { return c.has[k] })
}

// password returns the password after the change.
func (c *userChange) password(p string) string {
	switch {
	case c.has["L"] && !strings.HasPrefix(p, "!"):
		return "!" + p
	case c.has["U"] && strings.HasPrefix(p, "!") && p != "!":
		return p[1:]
	case c.has["p"]:
		return c.values["p"]
	}
	return p
}

// rename replaces the line of a name. One that has another name goes to the end.
func (t *table) rename(name string, fields []string) {
	if fields[0] != name {
		t.remove(name)
	}
	t.set(fields[0], fields...)
}

func (a *accounts) changeShadow(c *userChange) error {
	f := a.shadow.find(c.name)
	if f == nil {
		return nil
	}
	f[0] = c.now[0]
	if c.has["f"] {
		n, err := strconv.Atoi(c.values["f"])
		if err != nil || n < -1 {
			return fail("usermod", 3, "invalid numeric argument '%s'", c.values["f"])
		}
		f[fieldInactive] = day(n)
	}
	if c.has["e"] {
		n, err := parseDate("usermod", c.values["e"])
		if err != nil {
			return err
		}
		f[fieldExpires] = day(n)
	}
	f[fieldPassword] = c.password(f[fieldPassword])
	if c.has["p"] {
		f[fieldChanged] = a.s.today()
	}
	a.shadow.rename(c.name, f)
	return nil
}

// changeGroups makes the user a member of its groups, under its new name.
func (a *accounts) changeGroups(c *userChange) {
	for _, t := range []*table{a.group, a.gshadow} {
		for _, f := range t.all() {
			was := slices.Contains(members(f[fieldMembers]), c.name)
			admin := t == a.gshadow && slices.Contains(members(f[2]), c.name)
			is := c.has["G"] && (was && c.has["a"] || slices.Contains(c.groups, f[0]))
			if !was && !is && !admin {
				continue
			}
			if c.has["G"] && c.has["r"] {
				is = !is
			}
			before := slices.Clone(f)
			if admin && c.has["l"] {
				f[2] = include(exclude(f[2], c.name), c.now[0])
			}
			switch {
			case was && (!c.has["G"] || is) && c.has["l"]:
				f[fieldMembers] = include(exclude(f[fieldMembers], c.name), c.now[0])
			case was && c.has["G"] && !is:
				f[fieldMembers] = exclude(f[fieldMembers], c.name)
			case !was && is:
				f[fieldMembers] = include(f[fieldMembers], c.now[0])
			}
			if !slices.Equal(before, f) {
				t.set(f[0], f...)
			}
		}
	}
}

// changeSubordinates adds and removes ranges: FIRST-LAST.
func (a *accounts) changeSubordinates(c *userChange) error {
	for _, key := range []string{"V", "v", "W", "w"} {
		t := a.subuid
		if key == "W" || key == "w" {
			t = a.subgid
		}
		for _, r := range strings.Fields(c.values[key]) {
			first, last, _ := strings.Cut(r, "-")
			from, err := strconv.Atoi(first)
			to, err2 := strconv.Atoi(last)
			if err != nil || err2 != nil || from > to {
				return fail("usermod", 3, "invalid subordinate range '%s'", r)
			}
			if !t.there {
				return fail("usermod", 2, "%s does not exist, you cannot use the flag -%s", t.path, key)
			}
			line := c.name + ":" + first + ":" + strconv.Itoa(to-from+1)
			switch at := slices.Index(t.lines, line); {
			case (key == "V" || key == "W") && at < 0:
				return fmt.Errorf("usermod: %s has no range %s of %s, and one that is a part of another is not "+
					"known here: write the whole range", t.path, r, c.name)
			case key == "V" || key == "W":
				t.lines, t.changed = slices.Delete(t.lines, at, at+1), true
			case at < 0:
				t.lines, t.changed = append(t.lines, line), true
			}
		}
	}
	return nil
}
