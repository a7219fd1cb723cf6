package run

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// installTool is install, which copies files with a mode and an owner of its own.
func installTool() tool {
	return tool{
		options: "cDdvTm:o:g:t:", long: map[string]byte{"directory": 'd', "mode": 'm', "owner": 'o', "group": 'g', "target-directory": 't', "no-target-directory": 'T', "verbose": 'v'},
		least: 1, most: many, check: checkInstall, run: install,
	}
}

func checkInstall(o options, _ []string) error {
	if o.has("d") && o.has("Dt") || o.has("D") && o.has("t") {
		return errors.New("-d, -D and -t are known here one at a time: write a command for each")
	}
	if o.has("m") {
		if _, err := parseMode(o['m']); err != nil {
			return err
		}
		if strings.Trim(o['m'], "01234567") != "" {
			return mistake.At(o['m'], "install -m %s is not known here: write the mode in digits, such as 0755", o['m'])
		}
	}
	return nil
}

func install(r *runner, o options, args []string) error {
	n, err := r.installed(o)
	switch {
	case err != nil:
		return err
	case o.has("d"):
		return r.installDirectories(args, n)
	case o.has("D"):
		if err := r.installParents(args); err != nil {
			return err
		}
	}
	from, dest, into, err := r.sources(o, args)
	if err != nil {
		return err
	}
	made := map[string]bool{}
	for _, source := range from {
		name, err := under(source, dest, into)
		if err != nil {
			return err
		}
		p, err := r.installOne(source, name, n, o.has("g"))
		if err != nil {
			return err
		}
		if made[p] {
			return fmt.Errorf("%s was made by the same command, and is not replaced by %s", name, source)
		}
		made[p] = true
	}
	return nil
}

// installed returns a file with the mode and the owner that the options say.
func (r *runner) installed(o options) (*tree.Node, error) {
	n := &tree.Node{Kind: layer.Regular, Mode: 0o755}
	if o.has("m") {
		c, err := parseMode(o['m'])
		if err != nil {
			return nil, err
		}
		m, _ := c.adjust(0, o.has("d")) // it begins with a mode of 0
		n.Mode = fileModeOf(m)
	}
	if o.has("o") {
		owner, err := r.owner(o['o'])
		if err != nil {
			return nil, err
		}
		n.UID = owner.UID
	}
	if o.has("g") {
		owner, err := r.owner(":" + o['g'])
		if err != nil {
			return nil, err
		}
		n.GID = owner.GID
	}
	if n.Mode&special != 0 {
		return nil, errors.New("setuid, setgid and sticky stay or go by the install: use chmod after it")
	}
	return n, nil
}

// installParents makes the directories above the destination of install -D.
func (r *runner) installParents(args []string) error {
	if len(args) != 2 {
		return errors.New("install -D is known here with one file and its destination only")
	}
	d, err := r.find(args[1], true)
	switch {
	case err != nil:
		return err
	case d.slash:
		return fmt.Errorf("install -D to %s is another thing for each install: name the file", args[1])
	}
	return r.parents(path.Dir(d.p), 0o755)
}

// installOne copies one file, and returns where it is.
func (r *runner) installOne(source, name string, as *tree.Node, group bool) (string, error) {
	s, err := r.spot(source, true)
	if err != nil {
		return "", err
	}
	d, err := r.find(name, false)
	switch {
	case err != nil:
		return "", err
	case s.n.Kind != layer.Regular:
		return "", fmt.Errorf("%s is not a file", source)
	case d.n != nil && d.n.Kind != layer.Regular || d.slash:
		return "", fmt.Errorf("%s is not a file, and is not replaced by %s", name, source)
	case d.p == s.p:
		return "", fmt.Errorf("%s and %s are one file", source, name)
	}
	k := *s.n
	k.Mode, k.UID, k.GID = as.Mode, as.UID, as.GID
	dir, err := r.t.Lstat(path.Dir(d.p))
	if err != nil {
		return "", err
	}
	if dir != nil && !group {
		k = *inherit(dir, &k)
	}
	if d.n != nil { // it is removed before
		return d.p, r.t.Set(d.p, &k)
	}
	return d.p, r.place(d.p, &k)
}

// place puts a file as it is, and not with the group of its directory.
func (r *runner) place(p string, n *tree.Node) error {
	c := copyTree{runner: r}
	return c.place(p, n, true)
}

// installDirectories is install -d: directories that are there get the mode, too.
func (r *runner) installDirectories(names []string, n *tree.Node) error {
	for _, name := range names {
		s, err := r.find(name, true)
		switch {
		case err != nil:
			return err
		case s.n == nil && r.unknown(s.p) && !r.s.Toolchain:
			return fmt.Errorf("%s: %w", name, errUnknown)
		case s.n != nil:
			return fmt.Errorf("%s is there already: use chmod", name)
		}
		if link, err := r.find(strings.TrimRight(name, "/"), false); err != nil || link.n != nil {
			return cmp.Or(err, fmt.Errorf("%s is a link to nothing", name))
		}
		if err := r.dangling(name); err != nil {
			return err
		}
		if err := r.parents(path.Dir(s.p), 0o755); err != nil {
			return err
		}
		k := *n
		k.Kind = layer.Dir
		dir, err := r.t.Lstat(path.Dir(s.p))
		if err != nil {
			return err
		}
		if dir != nil && inherit(dir, &k) != &k {
			return fmt.Errorf("%s is in a directory with the setgid bit, which stays or goes by the install", name)
		}
		if err := r.place(s.p, &k); err != nil {
			return err
		}
	}
	return nil
}
