package system

import (
	"io/fs"
	"path"
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

// makeParents makes a directory and those above it for root.
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

// copyTree copies what is in a directory into another one, for a user. Links into the source lead
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
