package run

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/modechange"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// umask is that of the shell that RUN starts.
const umask = modechange.Umask

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

func checkMode(o options, _ []string) error {
	if !o.has("m") {
		return nil
	}
	_, err := modechange.Parse(o["m"])
	return err
}

func mkdir(r *runner, o options, args []string) {
	for _, name := range args {
		s := r.find(name, true)
		if o.has("p") {
			r.dangling(name)
			if s.is(layer.Dir) {
				continue
			}
		}
		if s.p == "/" {
			fail("/ already exists")
		}
		// a link to nothing is in the way, too
		if link := r.find(strings.TrimRight(name, "/"), false); s.n != nil || link.n != nil {
			fail("%s already exists", name)
		}
		if o.has("p") {
			r.parents(path.Dir(s.p), 0o755)
		}
		r.make(s.p, &tree.Node{Kind: layer.Dir, Mode: 0o755})
		if n := r.lstat(s.p); o.has("m") {
			k := *n
			k.Mode = must(modechange.Parse(o["m"])).Made(n.Mode & fs.ModeSetgid)
			r.set(s.p, &k)
		}
		if r.s.Toolchain && !o.has("p") {
			r.t.Opaque[s.p], r.t.Fresh[s.p] = true, true // it fails where the base has one
		}
	}
}

// dangling refuses a path that leads through a link to nothing, behind which mkdir -p makes
// nothing.
func (r *runner) dangling(name string) {
	for i := 1; i < len(name); i++ {
		if name[i] != '/' || strings.Trim(name[:i], "/") == "" {
			continue
		}
		link := r.find(name[:i], false)
		if to := r.find(name[:i], true); link.n != nil && to.n == nil && !r.unknown(to.p) {
			fail("%s is a symbolic link to nothing", name[:i])
		}
	}
}

// parents makes a directory and those above it that are not there, with a mode.
func (r *runner) parents(p string, mode fs.FileMode) {
	switch n := r.lstat(p); {
	case n == nil:
		r.parents(path.Dir(p), mode)
		r.make(p, &tree.Node{Kind: layer.Dir, Mode: mode})
	case n.Kind != layer.Dir:
		fail("%s is not a directory", p)
	}
}

func touch(r *runner, o options, args []string) {
	for _, name := range args {
		s := r.find(name, true)
		switch {
		case s.n != nil || o.has("c"):
			continue // times are not kept
		case s.slash:
			fail("%s is not there", name)
		case r.s.Toolchain && len(r.s.Writers(s.p, nil)) > 0:
			fail("%s: %w", name, errUnknown) // something may be in it
		}
		r.make(s.p, file(0o644, nil))
	}
}

func file(perm fs.FileMode, content []byte) *tree.Node {
	return withContent(&tree.Node{Kind: layer.Regular, Mode: perm}, content)
}

// withContent returns a file with another content.
func withContent(n *tree.Node, content []byte) *tree.Node {
	k := *n
	k.Origin, k.Made = "", nil
	k.Hard, k.Capability = false, "" // Linux drops them when a file is written
	k.Content = func() (layer.Content, error) { return layer.Bytes(content), nil }
	return &k
}

func checkLink(o options, _ []string) error {
	if !o.has("s") {
		return errors.New("without -s it makes hard links, " +
			"which images have as files of their own here: use ln -s, or cp")
	}
	return nil
}

func link(r *runner, o options, args []string) {
	targets, dest := args, "."
	if len(args) > 1 {
		targets, dest = args[:len(args)-1], args[len(args)-1]
	}
	into := !o.has("T") && r.find(dest, !o.has("n")).is(layer.Dir)
	if !into && len(targets) > 1 {
		fail("%s is not a directory", dest)
	}
	for _, target := range targets {
		name := dest
		if into {
			name = strings.TrimRight(dest, "/") + "/" + path.Base(target)
		}
		if target == "" {
			fail("the target of a link is empty")
		}
		s := r.find(name, false)
		switch {
		case s.slash:
			fail("%s is not a directory", name)
		case s.n != nil && !o.has("f"):
			fail("%s already exists: use ln -sf", name)
		case s.is(layer.Dir):
			fail("%s is a directory, which a link does not replace", name)
		case s.n != nil && r.leads(target, s.p):
			fail("%s and %s are one file", target, name)
		}
		r.make(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: target})
	}
}

func (r *runner) leads(name, p string) bool {
	var s lookup
	return try(func() { s = r.find(name, true) }) == nil && s.p == p
}
