package system

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// makeHome makes a home directory, with those above it, and reports whether it was not there.
func (s *System) makeHome(home string, mode fs.FileMode, uid, gid int) (bool, error) {
	n, err := s.stat(home)
	if err != nil || n != nil {
		return false, err
	}
	at, err := tree.Follow(s.Tree, home)
	if err != nil {
		return false, err
	}
	if err := s.makeParents(path.Dir(at)); err != nil {
		return false, err
	}
	return true, s.make(at, &tree.Node{Kind: layer.Dir, Mode: mode, UID: uid, GID: gid})
}

func (s *System) makeParents(dir string) error {
	n, err := s.Tree.Lstat(dir)
	if err != nil || n != nil {
		return err
	}
	if err := s.makeParents(path.Dir(dir)); err != nil {
		return err
	}
	return s.make(dir, &tree.Node{Kind: layer.Dir, Mode: 0o755})
}

// copyTree copies the files of a directory into another one, for a user. Links into the source lead
// into the copy.
func (s *System) copyTree(from, to string, uid, gid int) error {
	at, n, err := tree.Resolve(s.Tree, from)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	target, err := tree.Follow(s.Tree, to)
	if err != nil {
		return err
	}
	return s.copyFiles(at, target, func(n *tree.Node) *tree.Node {
		k := *n
		k.UID, k.GID, k.Hard, k.Capability = uid, gid, false, ""
		if k.Kind == layer.Symlink && tree.Within(k.Link, from) {
			k.Link = to + strings.TrimPrefix(k.Link, from)
		}
		return &k
	})
}

func (s *System) copyFiles(from, to string, as func(*tree.Node) *tree.Node) error {
	names, err := s.Tree.ReadDir(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(from, name)
		n, err := s.Tree.Lstat(p)
		if err != nil {
			return err
		}
		if err := s.Tree.Set(path.Join(to, name), as(n)); err != nil {
			return err
		}
		if n.Kind == layer.Dir {
			if err := s.copyFiles(p, path.Join(to, name), as); err != nil {
				return err
			}
		}
	}
	return nil
}

// shadowLine returns the line of a new user in /etc/shadow.
func (a *accounts) shadowLine(o *userOptions, password string) []string {
	line := []string{o.name, password, "", "", "", "", "", "", ""}
	if a.s.Day > 0 { // no aging on the first day, as shadow has it
		line[2] = strconv.Itoa(a.s.Day)
	}
	for i, key := range []string{"PASS_MIN_DAYS", "PASS_MAX_DAYS", "PASS_WARN_AGE"} {
		if n := a.defs.number(key, -1); n >= 0 && !o.has("r") {
			line[3+i] = strconv.Itoa(n)
		}
	}
	return line
}

// addSubordinates gives a normal user subordinate numbers, where /etc/subuid and /etc/subgid
// exist.
func (a *accounts) addSubordinates(o *userOptions) error {
	normal := span{a.defs.number("UID_MIN", 1000), a.defs.number("UID_MAX", 60000)}
	if o.has("r") || o.has("u") && o.uid != 0 && (o.uid < normal.min || o.uid > normal.max) {
		return nil
	}
	for _, t := range []struct {
		*table
		kind string
	}{{a.subuid, "UID"}, {a.subgid, "GID"}} {
		if !t.there || a.defs.number("SUB_"+t.kind+"_COUNT", 65536) <= 0 {
			continue
		}
		if err := a.addSubordinate(t.table, t.kind, o.name); err != nil {
			return err
		}
	}
	return nil
}

// addHome makes the home directory, with what /etc/skel has.
func (s *System) addHome(a *accounts, o *userOptions) error {
	if !o.has("m") {
		return nil
	}
	mode := a.defs.number("HOME_MODE", 0o777&^a.defs.number("UMASK", 0o22))
	made, err := s.makeHome(o.home(), fs.FileMode(mode)&fs.ModePerm, o.uid, o.gid) //nolint:gosec // it is masked
	if err != nil || !made {
		return err
	}
	return s.copyTree(o.defaults["SKEL"], o.home(), o.uid, o.gid)
}
