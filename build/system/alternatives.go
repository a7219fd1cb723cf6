package system

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
)

// alternativesCall is one call of update-alternatives.
type alternativesCall struct {
	s      *System
	action string
	name   string
	file   string // of --set and --remove
	new    *alternative
	choice choice
	force  bool
}

// updateAlternatives is that of dpkg 1.21, without its log.
func updateAlternatives(_ context.Context, s *System, args []string, out io.Writer) error {
	c := &alternativesCall{s: s}
	if err := c.parse(args); err != nil {
		return err
	}
	if c.action == "get-selections" {
		return c.selections(out)
	}
	if c.action == "install" {
		if err := c.check(); err != nil {
			return err
		}
	}
	a, found, err := s.loadAlternative(c.name)
	if err != nil {
		return err
	}
	a.force = c.force
	switch {
	case !found && c.action == "remove":
		return nil
	case !found && c.action != "install":
		return fail("update-alternatives", 2, "error: no alternatives for %s", c.name)
	case c.action == "list" || c.action == "query" || c.action == "display":
		return a.print(out, c.action)
	}
	if err := a.selectMode(); err != nil {
		return err
	}
	wanted, err := c.apply(a, found)
	if err != nil {
		return err
	}
	return a.update(wanted)
}

// apply changes the choices, and returns the one that is wanted.
func (c *alternativesCall) apply(a *alternative, found bool) (wanted string, err error) {
	switch c.action {
	case "install":
		if found {
			err = a.evolve(c.new, c.choice)
		} else {
			a.link, a.slaves = c.new.link, c.new.slaves
			a.setStatus(true)
		}
		a.add(c.choice)
		if a.auto {
			wanted = a.best().file
		}
	case "remove":
		a.choices = slices.DeleteFunc(a.choices, func(k choice) bool {
			a.modified = a.modified || k.file == c.file
			return k.file == c.file
		})
		if a.current == c.file {
			a.setStatus(true)
			if b := a.best(); b != nil {
				wanted = b.file
			}
		}
	case "remove-all":
		a.choices, a.modified = nil, true
	case "set":
		if a.choice(c.file) == nil {
			return "", fail("update-alternatives", 2, "error: alternative %s for %s not registered; not setting",
				c.file, a.name)
		}
		a.setStatus(false)
		wanted = c.file
	case "auto":
		a.setStatus(true)
		if b := a.best(); b != nil {
			wanted = b.file
		}
	}
	return wanted, err
}

// parse reads the arguments, which have their values behind them.
func (c *alternativesCall) parse(args []string) error {
	operands := map[string]int{
		"install": 4, "slave": 3, "remove": 2, "set": 2, "display": 1, "query": 1, "auto": 1, "list": 1,
		"remove-all": 1, "get-selections": 0, "quiet": 0, "verbose": 0, "debug": 0, "force": 0, "skip-auto": 0,
		"log": 1,
	}
	for len(args) > 0 {
		name, isOption := strings.CutPrefix(args[0], "--")
		n, known := operands[name]
		if !isOption || !known {
			return syntax{program: "update-alternatives"}.unknown(args[0])
		}
		if len(args) < n+1 {
			return fail("update-alternatives", 2, "error: --%s needs %d operands", name, n)
		}
		v := args[1 : n+1]
		args = args[n+1:]
		if err := c.option(name, v); err != nil {
			return err
		}
	}
	if c.action == "" {
		return fail("update-alternatives", 2, "error: need a command such as --install")
	}
	return nil
}

func (c *alternativesCall) option(name string, v []string) error {
	switch name {
	case "quiet", "verbose", "debug", "skip-auto", "log":
		return nil
	case "force":
		c.force = true
		return nil
	case "slave":
		return c.slave(v[0], v[1], v[2])
	}
	if c.action != "" {
		return fail("update-alternatives", 2, "error: two commands specified: --%s and --%s", c.action, name)
	}
	c.action = name
	switch name {
	case "install":
		p, err := strconv.ParseInt(v[3], 10, 32)
		if err != nil || v[0] == v[2] {
			return fail("update-alternatives", 2, "error: invalid arguments of --install: %s", strings.Join(v, " "))
		}
		c.name = v[1]
		c.new = &alternative{s: c.s, name: v[1], link: v[0]}
		c.choice = choice{file: v[2], priority: int(p), slaves: map[string]string{}}
	case "remove", "set":
		c.name, c.file = v[0], v[1]
	case "get-selections":
		return nil
	default:
		c.name = v[0]
	}
	if strings.ContainsAny(c.name, "/ \t") || c.name == "" || c.file != "" && c.file[0] != '/' {
		return fail("update-alternatives", 2, "error: invalid name or path: %s %s", c.name, c.file)
	}
	return nil
}

func (c *alternativesCall) slave(link, name, file string) error {
	twice := func(sl slaveLink) bool { return sl.name == name || sl.link == link }
	if c.action != "install" || link == file || c.name == name || link == c.new.link ||
		slices.ContainsFunc(c.new.slaves, twice) {
		return fail("update-alternatives", 2, "error: invalid arguments of --slave: %s %s %s", link, name, file)
	}
	c.new.slaves = append(c.new.slaves, slaveLink{name: name, link: link, updated: true})
	c.choice.slaves[name] = file
	return nil
}

// check compares what is to be installed with all other link groups.
func (c *alternativesCall) check() error {
	const me = "update-alternatives"
	for _, sl := range append([]slaveLink{{name: c.name, link: c.new.link}}, c.new.slaves...) {
		file := c.choice.file
		if sl.name != c.name {
			file = c.choice.slaves[sl.name]
		}
		if strings.ContainsAny(sl.name, "/ \t") || !strings.HasPrefix(sl.link, "/") || !strings.HasPrefix(file, "/") {
			return fail(me, 2, "error: alternative %s is not absolute as it should be: %s %s", sl.name, sl.link, file)
		}
	}
	gone, err := c.s.missing(c.choice.file)
	if err != nil {
		return err
	}
	if gone {
		return fail(me, 2, "error: alternative path %s doesn't exist", c.choice.file)
	}
	names, err := c.s.groups()
	if err != nil {
		return err
	}
	for _, name := range names {
		b, found, err := c.s.loadAlternative(name)
		if err != nil {
			return err
		}
		if found {
			if err := c.compare(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare checks that no other link group has the names and links.
func (c *alternativesCall) compare(b *alternative) error {
	const me = "update-alternatives"
	theirs := append([]slaveLink{{name: b.name, link: b.link}}, b.slaves...)
	for n, ours := range append([]slaveLink{{name: c.name, link: c.new.link}}, c.new.slaves...) {
		for k, t := range theirs {
			same := b.name == c.name && (n == 0) == (k == 0) && ours.name == t.name
			switch {
			case ours.name == t.name && (b.name != c.name || n == 0 && k > 0 || n > 0 && k == 0):
				return fail(me, 2, "error: alternative %s can't be of %s: it is of %s", ours.name, c.name, b.name)
			case ours.link == t.link && !same && (b.name != c.name || k > 0):
				return fail(me, 2, "error: alternative link %s is already managed by %s", ours.link, t.name)
			}
		}
	}
	return nil
}
