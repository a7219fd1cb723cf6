package system

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Where alternatives are kept.
const (
	alternativesAdmin = "/var/lib/dpkg/alternatives"
	alternativesLinks = "/etc/alternatives"
)

// alternative is a link group of update-alternatives: a link, those that go along with it, and
// the files that it may lead to.
type alternative struct {
	s           *System
	name, link  string
	auto, known bool // known says whether auto is
	slaves      []slaveLink
	choices     []choice
	modified    bool
	force       bool
	current     string // what the link leads to, empty for nothing
}

type slaveLink struct {
	name, link string
	updated    bool
}

// choice is one file that an alternative may lead to.
type choice struct {
	file     string
	priority int
	slaves   map[string]string
}

// setStatus sets whether the choice is automatic.
func (a *alternative) setStatus(auto bool) {
	if !a.known || a.auto != auto {
		a.modified = true
	}
	a.known, a.auto = true, auto
}

func (a *alternative) choice(file string) *choice {
	for n := range a.choices {
		if a.choices[n].file == file {
			return &a.choices[n]
		}
	}
	return nil
}

func (a *alternative) slave(name string) *slaveLink {
	for n := range a.slaves {
		if a.slaves[n].name == name {
			return &a.slaves[n]
		}
	}
	return nil
}

// missing reports whether a path leads to nothing.
func (s *System) missing(p string) (bool, error) {
	n, err := s.stat(p)
	return n == nil, err
}

// target returns what the symbolic link at a path has as its target, empty where there is none.
func (s *System) target(p string) (string, error) {
	at, err := s.itself(p)
	if err != nil {
		return "", err
	}
	n, err := s.Tree.Lstat(at)
	if err != nil || n == nil || n.Kind != layer.Symlink {
		return "", err
	}
	return n.Link, nil
}

// itself returns where a path is, without following a link at its end.
func (s *System) itself(p string) (string, error) {
	dir, err := tree.Follow(s.Tree, path.Dir(p))
	return path.Join(dir, path.Base(p)), err
}

// loadAlternative reads the file of a link group; found is false where there is none.
func (s *System) loadAlternative(name string) (a *alternative, found bool, err error) {
	a = &alternative{s: s, name: name}
	file := alternativesAdmin + "/" + name
	text, err := s.read(file)
	if err != nil {
		return nil, false, err
	}
	if len(text) > 0 {
		if err := a.parse(string(text)); err != nil {
			return nil, false, fmt.Errorf("%s is damaged: %w", file, err)
		}
	}
	a.current, err = s.target(alternativesLinks + "/" + name)
	return a, len(text) > 0, err
}

// parse reads the text of a link group, and drops choices whose file is gone.
func (a *alternative) parse(text string) error {
	lines := strings.Split(text, "\n")
	next := func() string {
		if len(lines) < 2 {
			lines = nil
			return ""
		}
		l := lines[0]
		lines = lines[1:]
		return l
	}
	status := next()
	if status != "auto" && status != "manual" {
		return fmt.Errorf("its status is %q", status)
	}
	a.auto, a.known, a.link = status == "auto", true, next()
	for name := next(); name != ""; name = next() {
		a.slaves = append(a.slaves, slaveLink{name: name, link: next()})
	}
	for file := next(); file != ""; file = next() {
		c := choice{file: file, slaves: map[string]string{}}
		prio := next()
		for _, sl := range a.slaves {
			c.slaves[sl.name] = next()
		}
		if lines == nil {
			return fmt.Errorf("it ends within %s", file)
		}
		gone, err := a.s.missing(file)
		if err != nil {
			return err
		}
		if gone {
			a.modified = true
			continue
		}
		if c.priority, err = strconv.Atoi(prio); err != nil {
			return fmt.Errorf("the priority of %s is %q", file, prio)
		}
		a.choices = append(a.choices, c)
	}
	if lines == nil {
		return fmt.Errorf("it has no end")
	}
	return nil
}

// text is the file of a link group.
func (a *alternative) text() []byte {
	a.slaves = slices.DeleteFunc(a.slaves, func(sl slaveLink) bool {
		return !slices.ContainsFunc(a.choices, func(c choice) bool { return c.slaves[sl.name] != "" })
	})
	slices.SortFunc(a.slaves, func(a, b slaveLink) int { return cmp.Compare(a.name, b.name) })
	slices.SortFunc(a.choices, func(a, b choice) int { return cmp.Compare(a.file, b.file) })
	lines := []string{"manual", a.link}
	if a.auto {
		lines[0] = "auto"
	}
	for _, sl := range a.slaves {
		lines = append(lines, sl.name, sl.link)
	}
	lines = append(lines, "")
	for _, c := range a.choices {
		lines = append(lines, c.file, strconv.Itoa(c.priority))
		for _, sl := range a.slaves {
			lines = append(lines, c.slaves[sl.name])
		}
	}
	return []byte(strings.Join(append(lines, ""), "\n") + "\n")
}

// best returns the choice of the highest priority: the current one among equals.
func (a *alternative) best() *choice {
	best := a.choice(a.current)
	if best == nil && len(a.choices) > 0 {
		best = &a.choices[0]
	}
	for n := range a.choices {
		if a.choices[n].priority > best.priority {
			best = &a.choices[n]
		}
	}
	return best
}

// selectMode makes an alternative manual whose link was changed by hand, and one without a link
// automatic.
func (a *alternative) selectMode() error {
	if a.current == "" {
		a.setStatus(true)
		return nil
	}
	if a.choice(a.current) != nil {
		return nil
	}
	gone, err := a.s.missing(a.current)
	switch {
	case err != nil:
		return err
	case gone:
		a.setStatus(true)
	case !a.known || a.auto:
		a.setStatus(false)
	}
	return nil
}

// add adds a choice or replaces it.
func (a *alternative) add(c choice) {
	a.modified = true
	if old := a.choice(c.file); old != nil {
		*old = c
		return
	}
	a.choices = append(a.choices, c)
}
