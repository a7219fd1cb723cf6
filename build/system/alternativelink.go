package system

import (
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// update brings the links in line with a choice that is wanted, or with the current one where
// they are broken, and saves the link group. Nothing is wanted where new is empty.
func (a *alternative) update(wanted string) error {
	if len(a.choices) == 0 {
		return a.removeFiles()
	}
	install := ""
	if wanted != "" && wanted != a.current {
		install = wanted
	} else {
		broken, err := a.broken()
		if err != nil {
			return err
		}
		if broken {
			install = a.current
			if install != "" && a.choice(install) == nil {
				install = a.best().file
				a.setStatus(true)
			}
		}
	}
	todo, err := a.prepare(install)
	if err != nil {
		return err
	}
	if a.modified {
		if err := a.s.Tree.WriteText(alternativesAdmin+"/"+a.name, a.text(), 0o644); err != nil {
			return err
		}
	}
	for _, do := range todo {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// prepare returns what makes the links of a choice.
func (a *alternative) prepare(file string) ([]func() error, error) {
	if file == "" {
		return nil, nil
	}
	c := a.choice(file)
	if c == nil {
		return nil, fail("update-alternatives", 2, "can't install unknown choice %s", file)
	}
	if err := a.s.makeParents(alternativesLinks); err != nil {
		return nil, err
	}
	todo := []func() error{func() error { return a.install(a.name, a.link, file) }}
	for _, sl := range a.slaves {
		ok, err := a.canInstall(c, sl.name)
		if err != nil {
			return nil, err
		}
		if to := c.slaves[sl.name]; ok {
			todo = append(todo, func() error { return a.install(sl.name, sl.link, to) })
			continue
		}
		todo = append(todo, func() error { return a.removeLink(sl.link) },
			func() error { return a.s.unlink(alternativesLinks + "/" + sl.name) })
	}
	return todo, nil
}

// canInstall reports whether a choice has a file for a slave, and it is there.
func (a *alternative) canInstall(c *choice, slave string) (bool, error) {
	to := c.slaves[slave]
	if to == "" {
		return false, nil
	}
	gone, err := a.s.missing(to)
	return !gone, err
}

// install makes the two links of a name. A file in the place of the first stays as it is.
func (a *alternative) install(name, link, file string) error {
	own := alternativesLinks + "/" + name
	if err := a.s.symlink(file, own); err != nil {
		return err
	}
	at, err := a.s.itself(link)
	if err != nil {
		return err
	}
	n, err := a.s.Tree.Lstat(at)
	if err != nil || n != nil && n.Kind != layer.Symlink && !a.force || n != nil && n.Link == own {
		return err
	}
	return a.s.symlink(own, link)
}

// symlink puts a symbolic link in its place.
func (s *System) symlink(to, p string) error {
	at, err := s.itself(p)
	if err != nil {
		return err
	}
	n, err := s.Tree.Lstat(at)
	if err != nil || n != nil && n.Kind == layer.Symlink && n.Link == to {
		return err
	}
	if n != nil && n.Kind == layer.Dir {
		return fail("update-alternatives", 2, "%s is a directory", p)
	}
	return s.make(at, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: to})
}

// unlink removes a file or link, where there is one.
func (s *System) unlink(p string) error {
	at, err := s.itself(p)
	if err != nil {
		return err
	}
	n, err := s.Tree.Lstat(at)
	if err != nil || n == nil {
		return err
	}
	if n.Kind == layer.Dir {
		return fail("update-alternatives", 2, "unable to remove '%s': it is a directory", p)
	}
	return s.Tree.Erase(at)
}

// removeLink removes a link; anything else in its place stays.
func (a *alternative) removeLink(p string) error {
	at, err := a.s.itself(p)
	if err != nil {
		return err
	}
	n, err := a.s.Tree.Lstat(at)
	if err != nil || n == nil || n.Kind != layer.Symlink && !a.force {
		return err
	}
	return a.s.unlink(p)
}

// removeFiles removes a link group that has no choice left.
func (a *alternative) removeFiles() error {
	all := append([]slaveLink{{name: a.name, link: a.link}}, a.slaves...)
	for _, l := range all {
		if l.link != "" {
			if err := a.removeLink(l.link); err != nil {
				return err
			}
		}
		if err := a.s.unlink(alternativesLinks + "/" + l.name); err != nil {
			return err
		}
	}
	return a.s.unlink(alternativesAdmin + "/" + a.name)
}

// broken reports whether the links have to be made again.
func (a *alternative) broken() (bool, error) {
	to, err := a.s.target(a.link)
	if err != nil || to != alternativesLinks+"/"+a.name || a.current == "" {
		return true, err
	}
	c := a.choice(a.current)
	if c == nil {
		return false, nil
	}
	for _, sl := range a.slaves {
		if is, err := a.brokenSlave(c, sl); err != nil || is {
			return is, err
		}
	}
	return false, nil
}

func (a *alternative) brokenSlave(c *choice, sl slaveLink) (bool, error) {
	own := alternativesLinks + "/" + sl.name
	wanted, err := a.canInstall(c, sl.name)
	if err != nil {
		return false, err
	}
	if !wanted {
		for _, p := range []string{sl.link, own} {
			at, err := a.s.itself(p)
			if err != nil {
				return false, err
			}
			if n, err := a.s.Tree.Lstat(at); err != nil || n != nil {
				return true, err
			}
		}
		return false, nil
	}
	outer, err := a.s.target(sl.link)
	if err != nil {
		return false, err
	}
	inner, err := a.s.target(own)
	return outer != own || inner != c.slaves[sl.name], err
}

// evolve takes over links that another call of --install has in other places.
func (a *alternative) evolve(b *alternative, c choice) error {
	if a.link != b.link {
		if to, err := a.s.target(a.link); err != nil {
			return err
		} else if to != "" {
			if err := a.rename(a.link, b.link, to); err != nil {
				return err
			}
		}
		a.modified, a.link = true, b.link
	}
	for _, sl := range b.slaves {
		old := a.slave(sl.name)
		if old == nil {
			a.slaves = append(a.slaves, slaveLink{name: sl.name, link: sl.link, updated: true})
			continue
		}
		if err := a.evolveSlave(old, sl, c); err != nil {
			return err
		}
		old.link = sl.link
	}
	return nil
}

func (a *alternative) evolveSlave(old *slaveLink, sl slaveLink, c choice) error {
	to, err := a.s.target(old.link)
	if err != nil || old.link == sl.link || to == "" {
		return err
	}
	file := c.slaves[sl.name]
	if a.current != c.file {
		if file, err = a.s.target(alternativesLinks + "/" + sl.name); err != nil {
			return err
		}
	}
	gone := file == ""
	if !gone {
		if gone, err = a.s.missing(file); err != nil {
			return err
		}
	}
	if gone {
		return a.s.unlink(old.link)
	}
	return a.rename(old.link, sl.link, to)
}

// rename moves a symbolic link.
func (a *alternative) rename(from, to, target string) error {
	if err := a.s.unlink(from); err != nil {
		return err
	}
	return a.s.symlink(target, to)
}

// groups returns the names of all link groups.
func (s *System) groups() ([]string, error) {
	dir, n, err := tree.Resolve(s.Tree, alternativesAdmin)
	if err != nil || n == nil {
		return nil, err
	}
	names, err := s.Tree.ReadDir(dir)
	return slices.DeleteFunc(names, func(n string) bool { return len(n) > 9 && n[len(n)-9:] == ".dpkg-tmp" }), err
}
