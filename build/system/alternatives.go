package system

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// alternative is a link group of update-alternatives: a link, those that go along with it, and the
// files that it may lead to.
type alternative struct {
	link    string
	slaves  []slaveLink
	choices map[string][]string // the files of the slaves, by the file of the choice
}

type slaveLink struct{ name, link string }

// updateAlternatives is --set of dpkg 1.21: a choice that the base has, made by hand.
func updateAlternatives(s *System, args []string) error {
	const me = "update-alternatives"
	if len(args) != 3 || args[0] != "--set" {
		return fmt.Errorf("%s: only --set NAME PATH is known here: make the links with ln -s", me)
	}
	name, to := args[1], args[2]
	if strings.ContainsAny(name, "/ \t") || name == "" || !path.IsAbs(to) {
		return fail(me, 2, "error: invalid name or path: %s %s", name, to)
	}
	file := "/var/lib/dpkg/alternatives/" + name
	text, err := s.read(file)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return fail(me, 2, "error: no alternatives for %s", name)
	}
	a, err := s.parseAlternative(string(text))
	if err != nil {
		return fmt.Errorf("%s: %s: %w", me, file, err)
	}
	if a.choices[to] == nil {
		return fail(me, 2, "error: alternative %s for %s not registered; not setting", to, name)
	}
	if rest, ok := strings.CutPrefix(string(text), "auto\n"); ok {
		if err := s.Tree.WriteText(file, []byte("manual\n"+rest), 0o644); err != nil {
			return err
		}
	}
	return s.link(a, name, to)
}

// parseAlternative reads the text of a link group, all of whose choices must be there: the real
// program would drop others.
func (s *System) parseAlternative(text string) (*alternative, error) {
	lines := strings.Split(text, "\n")
	next := func() (l string) {
		if len(lines) > 0 {
			l, lines = lines[0], lines[1:]
		}
		return l
	}
	if status := next(); status != "auto" && status != "manual" {
		return nil, fmt.Errorf("its status is %q", status)
	}
	a := &alternative{link: next(), choices: map[string][]string{}}
	for name := next(); name != ""; name = next() {
		a.slaves = append(a.slaves, slaveLink{name: name, link: next()})
	}
	for file := next(); file != ""; file = next() {
		next() // its priority
		a.choices[file] = []string{}
		for range a.slaves {
			a.choices[file] = append(a.choices[file], next())
		}
		if n, err := s.stat(file); err != nil || n == nil {
			return nil, fmt.Errorf("%s is not there, and the choice is not known here: make the links with ln -s", file)
		}
	}
	if len(lines) != 1 || lines[0] != "" {
		return nil, fmt.Errorf("it has no end")
	}
	return a, nil
}

// link makes the links of a choice, and removes those of slaves that it has no file for.
func (s *System) link(a *alternative, name, to string) error {
	all, files := append([]slaveLink{{name, a.link}}, a.slaves...), append([]string{to}, a.choices[to]...)
	for n, l := range all {
		own := "/etc/alternatives/" + l.name
		there, err := s.stat(files[n])
		if err != nil {
			return err
		}
		if files[n] == "" || there == nil {
			own, files[n] = "", ""
		}
		if err := s.symlink(files[n], "/etc/alternatives/"+l.name); err != nil {
			return err
		}
		if err := s.symlink(own, l.link); err != nil {
			return err
		}
	}
	return nil
}

// symlink puts a symbolic link in its place, or removes it if it is to lead nowhere. A file in its
// place stays.
func (s *System) symlink(to, p string) error {
	at, err := s.itself(p)
	if err != nil {
		return err
	}
	n, err := s.Tree.Lstat(at)
	switch {
	case err != nil, n != nil && (n.Kind != layer.Symlink || n.Link == to), n == nil && to == "":
		return err
	case to == "":
		return s.Tree.Erase(at)
	}
	return s.make(at, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: to})
}

// itself returns where a path is, without following a link at its end.
func (s *System) itself(p string) (string, error) {
	dir, err := tree.Follow(s.Tree, path.Dir(p))
	return path.Join(dir, path.Base(p)), err
}
