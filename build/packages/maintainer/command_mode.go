package maintainer

import (
	"errors"
	"io/fs"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// reference returns the file that --reference names.
func (c *call) reference() (*tree.Node, error) {
	s, err := c.to(c.value("reference"))
	if err == nil && s.n == nil {
		err = errors.New("has a --reference that is not there")
	}
	return s.n, err
}

func chmod(c *call) (int, error) {
	args := c.args
	var m modechange.Change
	var fixed *tree.Node
	var err error
	switch {
	case c.has("reference"):
		fixed, err = c.reference()
	case len(args) > 1:
		m, err = modechange.Parse(args[0])
		args = args[1:]
	default:
		return c.fail("missing operand")
	}
	if err != nil {
		return 0, err
	}
	return c.each(args, true, func(s spot) error {
		k := *s.n
		if k.Kind == layer.Symlink {
			return nil
		}
		k.Mode = m.Apply(s.n)
		if fixed != nil {
			k.Mode = fixed.Mode
		}
		return c.change(s, &k)
	})
}

// each calls do for files and, with -R, for everything in them.
func (c *call) each(names []string, through bool, do func(spot) error) (int, error) {
	status := 0
	for _, name := range names {
		s, err := c.at(name)
		if through {
			s, err = c.to(name)
		}
		if err != nil {
			return 0, err
		}
		switch {
		case s.n == nil && name == "/dev/null":
		case s.n == nil:
			if status = 1; !c.has("f") {
				c.Err.Printf("%s: cannot access '%s': No such file or directory\n", c.Args[0], name)
			}
		case c.has("R"):
			err = c.walk(s, false, do)
		default:
			err = do(s)
		}
		if err != nil {
			return 0, err
		}
	}
	return status, nil
}

func chown(c *call) (int, error) { return c.own("") }

func chgrp(c *call) (int, error) { return c.own(":") }

// own changes owners. before is what stands before the first operand in the form of chown.
func (c *call) own(before string) (int, error) {
	args := c.args
	var o tree.Owner
	if c.has("reference") {
		n, err := c.reference()
		if err != nil {
			return 0, err
		}
		if o = (tree.Owner{UID: n.UID, GID: n.GID}); before != "" {
			o.UID = -1
		}
	} else {
		if len(args) < 2 {
			return c.fail("missing operand")
		}
		var err error
		var unknown *noAccountError
		if o, err = c.owner(before + args[0]); errors.As(err, &unknown) {
			return c.fail("%v", err)
		} else if err != nil {
			return 0, err
		}
		args = args[1:]
	}
	return c.each(args, !c.has("h", "R"), func(s spot) error { return c.give(s, o) })
}

// give changes the owner of a file. The kernel takes setuid and setgid away, from root, too.
func (c *call) give(s spot, o tree.Owner) error {
	k := *s.n
	if o.UID >= 0 {
		k.UID = o.UID
	}
	if o.GID >= 0 {
		k.GID = o.GID
	}
	if (o.UID >= 0 || o.GID >= 0) && k.Kind == layer.Regular {
		k.Capability = ""
		k.Mode &^= fs.ModeSetuid
		if k.Mode&0o010 != 0 {
			k.Mode &^= fs.ModeSetgid
		}
	}
	return c.change(s, &k)
}
