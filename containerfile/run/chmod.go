package run

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/modechange"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// walk calls do for the file of a name, and with recursive for everything below it. Links in a
// directory are not followed.
func (r *runner) walk(name string, through, recursive bool, do func(p string, n *tree.Node)) {
	var s lookup
	err := try(func() { s = r.existing(name, through) })
	if r.lenient && errors.Is(err, errUnknown) {
		r.left = true
		return
	}
	check(err)
	if s.p == "/" && recursive {
		fail("-R of / is not done here: name directories")
	}
	if s.p == "/" {
		fail("/ itself is not part of a layer: name the files in it")
	}
	r.visit(s.p, s.n, recursive, do)
}

func (r *runner) visit(p string, n *tree.Node, recursive bool, do func(p string, n *tree.Node)) {
	check(r.ctx.Err())
	expressible(p, n)
	do(p, n)
	if !recursive || n.Kind != layer.Dir {
		return
	}
	r.children(p, func(p string, n *tree.Node) {
		r.mounted(p)
		if n != nil {
			r.visit(p, n, true, do)
		}
	})
}

func checkChmod(_ options, args []string) error {
	_, err := modechange.Parse(args[0])
	return err
}

func chmod(r *runner, o options, args []string) {
	c := must(modechange.Parse(args[0]))
	for _, name := range args[1:] {
		r.walk(name, true, o.has("R"), func(p string, n *tree.Node) {
			k := *n
			if k.Mode = c.Apply(n); n.Kind != layer.Symlink && k.Mode != n.Mode {
				check(r.t.Change(p, &k))
			}
		})
	}
}

func chown(r *runner, o options, args []string) { r.own(o, args, args[0]) }

func chgrp(r *runner, o options, args []string) { r.own(o, args, ":"+args[0]) }

// own changes owners. The number -1 keeps what a file has.
func (r *runner) own(o options, args []string, spec string) {
	var to tree.Owner
	if err := try(func() { to = r.owner(spec) }); err != nil {
		failAt(args[0], "RUN %s: %w", path.Base(r.name()), err)
	}
	for _, name := range args[1:] {
		r.walk(name, !o.has("h", "R"), o.has("R"), func(p string, n *tree.Node) {
			k := *n
			if to.UID >= 0 {
				k.UID = to.UID
			}
			if to.GID >= 0 {
				k.GID = to.GID
			}
			// the kernel takes these bits away, from root, too
			if (to.UID >= 0 || to.GID >= 0) && k.Kind == layer.Regular {
				k.Mode &^= fs.ModeSetuid
				if k.Mode&0o010 != 0 {
					k.Mode &^= fs.ModeSetgid
				}
				k.Capability = ""
			}
			if k.UID != n.UID || k.GID != n.GID || k.Mode != n.Mode || k.Capability != n.Capability {
				check(r.t.Change(p, &k))
			}
		})
	}
}

// owner reads USER, USER:GROUP, USER: and :GROUP as chown does: a user alone keeps the group. A
// name that only a stub base could know is root, as it is for COPY --chown.
func (r *runner) owner(spec string) tree.Owner {
	o := tree.Owner{UID: -1, GID: -1}
	user, group, colon := strings.Cut(spec, ":")
	if spec == "" || spec == ":" || strings.Contains(user, ".") {
		fail("%q is not a user, user:group or :group", spec)
	}
	uid, numeric := plainNumber(user)
	gid, plain := plainNumber(group)
	if r.s.Toolchain && r.t.Open &&
		(!numeric && user != "" && user != "root" || !plain && group != "" && group != "root") {
		fail("%s: %w", spec, errUnknown) // no stub: an image may copy the file with its owner
	}
	switch alone := colon && group == ""; {
	case user == "":
	case numeric && alone:
		fail("%s: write the group, or leave the colon out", spec)
	case numeric:
		o.UID = uid
	default:
		fields := must(tree.Account(r.t, "/etc/passwd", user, 4))
		if o.UID = fields[2]; alone {
			o.GID = fields[3]
		}
	}
	switch {
	case group == "":
	case plain:
		o.GID = gid
	default:
		o.GID = must(tree.Account(r.t, "/etc/group", group, 3))[2]
	}
	return o
}

func plainNumber(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}
