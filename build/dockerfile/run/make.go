package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// umask is that of the shell that RUN starts.
const umask = 0o022

// inherit returns a new file as a directory with the setgid bit gives it its group.
func inherit(dir, n *tree.Node) *tree.Node {
	if dir.Mode&fs.ModeSetgid == 0 {
		return n
	}
	k := *n
	k.GID = dir.GID
	if k.Kind == layer.Dir {
		k.Mode |= fs.ModeSetgid
	}
	return &k
}

func mkdir(r *runner, o options, args []string) error {
	var change change
	if o.has("m") {
		var err error
		if change, err = parseMode(o['m']); err != nil {
			return err
		}
	}
	for _, name := range args {
		s, err := r.find(name, true)
		if err == nil && o.has("p") {
			err = r.dangling(name)
		}
		switch {
		case err != nil:
			return err
		case s.n != nil && o.has("p") && s.n.Kind == layer.Dir:
			continue
		}
		// a link to nothing is in the way, too
		link, err := r.find(strings.TrimRight(name, "/"), false)
		switch {
		case s.p == "/":
			return errors.New("/ is there already")
		case err != nil:
			return err
		case s.n != nil || link.n != nil:
			return fmt.Errorf("%s is there already", name)
		case o.has("p"):
			if err := r.parents(path.Dir(s.p), 0o755); err != nil {
				return err
			}
		}
		if err := r.make(s.p, &tree.Node{Kind: layer.Dir, Mode: 0o755}); err != nil {
			return err
		}
		if n, err := r.t.Lstat(s.p); err != nil {
			return err
		} else if change != nil {
			k := *n
			k.Mode = change.made(n.Mode & fs.ModeSetgid)
			if err := r.t.Set(s.p, &k); err != nil {
				return err
			}
		}
		if r.s.Toolchain && !o.has("p") {
			r.t.Opaque[s.p], r.t.Fresh[s.p] = true, true // it fails where the base has one
		}
	}
	return nil
}

// dangling refuses a path that leads through a link to nothing, behind which mkdir -p makes nothing.
func (r *runner) dangling(name string) error {
	for i := 1; i < len(name); i++ {
		if name[i] != '/' || strings.Trim(name[:i], "/") == "" {
			continue
		}
		link, err := r.find(name[:i], false)
		if err != nil {
			return err
		}
		if to, err := r.find(name[:i], true); err != nil || link.n != nil && to.n == nil && !r.unknown(to.p) {
			return cmp.Or(err, fmt.Errorf("%s is a symbolic link to nothing", name[:i]))
		}
	}
	return nil
}

// parents makes a directory and those above it that are not there, with a mode.
func (r *runner) parents(p string, mode fs.FileMode) error {
	n, err := r.t.Lstat(p)
	switch {
	case err != nil:
		return err
	case n != nil && n.Kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", p)
	case n != nil:
		return nil
	}
	if err := r.parents(path.Dir(p), mode); err != nil {
		return err
	}
	return r.make(p, &tree.Node{Kind: layer.Dir, Mode: mode})
}

func touch(r *runner, o options, args []string) error {
	for _, name := range args {
		s, err := r.find(name, true)
		switch {
		case err != nil:
			return err
		case s.n != nil || o.has("c"):
			continue // times are not kept
		case s.slash:
			return fmt.Errorf("%s is not there", name)
		case r.s.Toolchain && len(r.s.Doubts(s.p, nil)) > 0:
			return fmt.Errorf("%s: %w", name, errUnknown) // something may be in it
		}
		if err := r.make(s.p, file(0o644, nil)); err != nil {
			return err
		}
	}
	return nil
}

// file returns a regular file.
func file(perm fs.FileMode, content []byte) *tree.Node {
	return &tree.Node{Kind: layer.Regular, Mode: perm, Content: func() (layer.Content, error) { return layer.Bytes(content), nil }}
}

func checkMkdir(o options, _ []string) error {
	if !o.has("m") {
		return nil
	}
	_, err := parseMode(o['m'])
	return err
}

func checkLink(o options, _ []string) error {
	if !o.has("s") {
		return errors.New("without -s it makes hard links, which images have as files of their own here: use ln -s, or cp")
	}
	return nil
}

func link(r *runner, o options, args []string) error {
	targets, dest := args, "."
	if len(args) > 1 {
		targets, dest = args[:len(args)-1], args[len(args)-1]
	}
	into := false
	if !o.has("T") {
		s, err := r.find(dest, !o.has("n"))
		if err != nil {
			return err
		}
		into = s.n != nil && s.n.Kind == layer.Dir
	}
	if !into && len(targets) > 1 {
		return fmt.Errorf("%s is not a directory", dest)
	}
	for _, target := range targets {
		name := dest
		if into {
			name = strings.TrimRight(dest, "/") + "/" + path.Base(target)
		}
		if target == "" {
			return errors.New("the target of a link is empty")
		}
		s, err := r.find(name, false)
		switch {
		case err != nil:
			return err
		case s.slash:
			return fmt.Errorf("%s is not a directory", name)
		case s.n != nil && !o.has("f"):
			return fmt.Errorf("%s is there already: use ln -sf", name)
		case s.n != nil && s.n.Kind == layer.Dir:
			return fmt.Errorf("%s is a directory, which a link does not replace", name)
		}
		if there, err := r.find(target, true); s.n != nil && err == nil && there.p == s.p {
			return fmt.Errorf("%s and %s are one file", target, name)
		}
		if err := r.make(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: target}); err != nil {
			return err
		}
	}
	return nil
}
