package run

import (
	"errors"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/modechange"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

func checkInstall(o options, args []string) error {
	if o.has("d") && o.has("D", "t") || o.has("D") && o.has("t") {
		return errors.New("-d, -D and -t are supported one at a time: write a command for each")
	}
	err := checkMode(o, args)
	if mode := o["m"]; err == nil && strings.Trim(mode, "01234567") != "" {
		return mistake.At(mode, "install -m %s is not supported: write the mode in digits, such as 0755", mode)
	}
	return err
}

// install copies files with a mode and an owner of its own.
func install(r *runner, o options, args []string) {
	n := r.installed(o)
	switch {
	case o.has("d"):
		r.installDirectories(args, n)
		return
	case o.has("D"):
		if len(args) != 2 {
			fail("install -D is supported with one file and its destination only")
		}
		d := r.find(args[1], true)
		if d.slash {
			fail("install -D to %s is another thing for each install: name the file", args[1])
		}
		r.parents(path.Dir(d.p), 0o755)
	}
	made := map[string]bool{}
	r.transfers(o, args, func(source string, to func() string) {
		name := to()
		p := r.installOne(source, name, n, o.has("g"))
		if made[p] {
			fail("%s was made by the same command, and is not replaced by %s", name, source)
		}
		made[p] = true
	})
}

// installed returns a file with the mode and the owner that the options say.
func (r *runner) installed(o options) *tree.Node {
	n := &tree.Node{Kind: layer.Regular, Mode: 0o755}
	if o.has("m") {
		m, _ := must(modechange.Parse(o["m"])).Adjust(0, o.has("d")) // it begins with a mode of 0
		n.Mode = modechange.Mode(m)
	}
	if o.has("o") {
		n.UID = r.owner(o["o"]).UID
	}
	if o.has("g") {
		n.GID = r.owner(":" + o["g"]).GID
	}
	if n.Mode&special != 0 {
		fail("setuid, setgid and sticky stay or go by the install: use chmod after it")
	}
	return n
}

// installOne copies one file, and returns where it is.
func (r *runner) installOne(source, name string, as *tree.Node, group bool) string {
	s, d := r.existing(source, true), r.find(name, false)
	switch {
	case !s.is(layer.Regular):
		fail("%s is not a file", source)
	case d.n != nil && !d.is(layer.Regular) || d.slash:
		fail("%s is not a file, and is not replaced by %s", name, source)
	case d.p == s.p:
		fail("%s and %s are one file", source, name)
	}
	k := *s.n
	k.Mode, k.UID, k.GID, k.Hard, k.Capability = as.Mode, as.UID, as.GID, false, ""
	if dir := r.lstat(path.Dir(d.p)); dir != nil && !group {
		k = *inherit(dir, &k)
	}
	if d.n != nil { // it is removed before
		r.set(d.p, &k)
	} else {
		r.place(d.p, &k)
	}
	return d.p
}

// installDirectories is install -d: directories that are there get the mode, too.
func (r *runner) installDirectories(names []string, n *tree.Node) {
	for _, name := range names {
		s := r.find(name, true)
		if !r.s.Toolchain {
			r.known(s)
		}
		if s.n != nil {
			fail("%s already exists: use chmod", name)
		}
		if r.find(strings.TrimRight(name, "/"), false).n != nil {
			fail("%s is a link to nothing", name)
		}
		r.dangling(name)
		r.parents(path.Dir(s.p), 0o755)
		k := *n
		k.Kind = layer.Dir
		if dir := r.lstat(path.Dir(s.p)); dir != nil && inherit(dir, &k) != &k {
			fail("%s is in a directory with the setgid bit, which stays or goes by the install", name)
		}
		r.place(s.p, &k)
	}
}
