package maintainer

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
)

// diversion is an entry of dpkg's diversions.
type diversion struct{ from, to, owner string }

func (c *call) diversions() ([]diversion, error) {
	text, _, err := c.read(admin + "/diversions")
	if err != nil {
		return nil, err
	}
	list := lines(text)
	if len(list)%3 != 0 {
		return nil, errors.New("finds " + admin + "/diversions damaged: it has no three lines for each")
	}
	var all []diversion
	for part := range slices.Chunk(list, 3) {
		all = append(all, diversion{part[0], part[1], part[2]})
	}
	return all, nil
}

func (c *call) saveDiversions(all []diversion) error {
	var b strings.Builder
	for _, d := range all {
		b.WriteString(d.from + "\n" + d.to + "\n" + d.owner + "\n")
	}
	s, err := c.at(admin + "/diversions")
	if err != nil {
		return err
	}
	if s.n != nil { // as dpkg keeps a copy
		if err := c.set(admin+"/diversions-old", s.n); err != nil {
			return err
		}
	}
	return c.write(admin+"/diversions", []byte(b.String()), 0o644)
}

// divert is dpkg-divert.
func divert(c *call) (int, error) {
	all, err := c.diversions()
	if err != nil {
		return 0, err
	}
	switch {
	case c.has("list"):
		return c.listDiversions(all)
	case len(c.args) == 0:
		return c.usage(2)
	case c.has("truename"), c.has("listpackage"):
		return c.whoDiverts(all)
	}
	file := path.Clean(c.args[0])
	if !path.IsAbs(file) {
		return c.fail("filename \"%s\" is not absolute", c.args[0])
	}
	owner := ":"
	if !c.has("local") {
		if owner = cmp.Or(c.value("package"), c.Shell.Getenv("DPKG_MAINTSCRIPT_PACKAGE")); owner == "" {
			owner = ":"
		}
	}
	to := cmp.Or(c.value("divert"), file+".distrib")
	at := slices.IndexFunc(all, func(d diversion) bool { return d.from == file })
	if c.has("remove") {
		return c.undivert(all, at, owner, file)
	}
	if at >= 0 {
		if d := all[at]; d.to == to && d.owner == owner {
			return 0, nil // leaving it as it is
		}
		c.Err.Printf("dpkg-divert: error: '%s' is diverted already\n", file)
		return 2, nil
	}
	if c.has("rename") && !c.has("no-rename") {
		if err := c.moved(file, to); err != nil {
			return 0, err
		}
	}
	return 0, c.saveDiversions(append(all, diversion{file, to, owner}))
}

// undivert takes a diversion away.
func (c *call) undivert(all []diversion, at int, owner, file string) (int, error) {
	if at < 0 {
		return 0, nil
	}
	d := all[at]
	if c.has("divert") && c.value("divert") != d.to || (c.has("package") || c.has("local")) && d.owner != owner {
		c.Err.Printf("dpkg-divert: error: mismatch on the diversion of '%s'\n", file)
		return 2, nil
	}
	if c.has("rename") && !c.has("no-rename") {
		s, err := c.at(file)
		if err != nil {
			return 0, err
		}
		from, err := c.at(d.to)
		if err != nil {
			return 0, err
		}
		if s.n != nil && from.n != nil {
			c.Err.Printf("dpkg-divert: error: rename involves overwriting '%s'\n", file)
			return 2, nil
		}
		if err := c.moved(d.to, file); err != nil {
			return 0, err
		}
	}
	return 0, c.saveDiversions(slices.Delete(all, at, at+1))
}

// moved renames a file, if it is there and nothing is in its new place.
func (c *call) moved(from, to string) error {
	s, err := c.at(from)
	if err != nil || s.n == nil {
		return err
	}
	target, err := c.at(to)
	if err != nil {
		return err
	}
	if target.n != nil {
		return errors.New("would replace " + to + ": " + instead)
	}
	return c.rename(s, target.p)
}

func (c *call) listDiversions(all []diversion) (int, error) {
	pats := c.args
	if len(pats) == 0 {
		pats = []string{"*"}
	}
	for _, d := range all {
		if !slices.ContainsFunc(pats, func(p string) bool {
			return p == d.from || p == d.to || p == d.owner || matches(p, d.from)
		}) {
			continue
		}
		by := " by " + d.owner
		if d.owner == ":" {
			by = ""
		}
		before := "diversion of "
		if by == "" {
			before = "local diversion of "
		}
		c.Out.Printf("%s%s to %s%s\n", before, d.from, d.to, by)
	}
	return 0, nil
}

func (c *call) whoDiverts(all []diversion) (int, error) {
	name := cmp.Or(c.value("truename"), c.value("listpackage"), c.args[0])
	for _, d := range all {
		if d.from != name {
			continue
		}
		if c.has("truename") {
			return c.print(d.to + "\n")
		}
		return c.print(strings.Replace(d.owner, ":", "LOCAL", 1) + "\n")
	}
	if c.has("truename") {
		return c.print(name + "\n")
	}
	return 0, nil
}

// trigger is dpkg-trigger: it notes that a trigger was activated, for dpkg to see.
func trigger(c *call) (int, error) {
	if c.has("check-supported") {
		return 0, nil
	}
	if len(c.args) != 1 {
		return c.usage(2)
	}
	name := c.args[0]
	awaiter := cmp.Or(c.value("by-package"), c.Shell.Getenv("DPKG_MAINTSCRIPT_PACKAGE"), "-")
	if awaiter != "-" && !strings.Contains(awaiter, ":") {
		if found, err := c.r.named(awaiter + ":" + c.r.s.Arch); err != nil {
			return 0, err
		} else if len(found) > 0 {
			awaiter = found[0].id()
		}
	}
	if c.has("no-await") {
		awaiter = "-"
	}
	const file = admin + "/triggers/Unincorp"
	text, _, err := c.read(file)
	if err != nil {
		return 0, err
	}
	list := lines(text)
	at := slices.IndexFunc(list, func(l string) bool { return strings.HasPrefix(l, name+" ") })
	switch {
	case at < 0:
		list = append(list, name+" "+awaiter)
	case !slices.Contains(strings.Fields(list[at])[1:], awaiter):
		list[at] += " " + awaiter
	}
	return 0, c.write(file, []byte(strings.Join(list, "\n")+"\n"), 0o644)
}
