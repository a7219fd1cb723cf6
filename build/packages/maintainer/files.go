package maintainer

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// A spot is a place in the tree, and what is there: nil for nothing.
type spot struct {
	p string
	n *tree.Node
}

// at returns what is at a name, without following a link there.
func (c *call) at(name string) (spot, error) {
	p, err := c.Shell.Place(name)
	if err != nil {
		return spot{}, err
	}
	n, err := c.r.t.Lstat(p)
	return spot{p, n}, err
}

// to returns what a name leads to.
func (c *call) to(name string) (spot, error) {
	at, n, err := tree.Resolve(c.r.t, c.Shell.Path(name))
	return spot{at, n}, err
}

func (s spot) dir() bool     { return s.n != nil && s.n.Kind == layer.Dir }
func (s spot) regular() bool { return s.n != nil && s.n.Kind == layer.Regular && s.n.Odd == "" }
func (s spot) link() bool    { return s.n != nil && s.n.Kind == layer.Symlink }

// parent reports whether the directory above a place is there.
func (c *call) parent(s spot) (bool, error) {
	n, err := c.r.t.Lstat(path.Dir(s.p))
	return n != nil && n.Kind == layer.Dir, err
}

// set puts a file into the tree.
func (c *call) set(p string, n *tree.Node) error { return c.r.t.Set(p, n) }

// change gives a file other metadata, at each of its names.
func (c *call) change(s spot, k *tree.Node) error { return c.r.t.Change(s.p, k) }

// write gives a file a content. A file that is there keeps its mode and owner.
func (c *call) write(name string, text []byte, mode fs.FileMode) error {
	return c.r.t.WriteText(c.Shell.Path(name), text, mode)
}

// read returns the content of a file, and whether it is there.
func (c *call) read(name string) ([]byte, bool, error) {
	if name == "/dev/null" {
		return nil, true, nil
	}
	s, err := c.to(name)
	if err != nil || s.n == nil {
		return nil, false, err
	}
	if !s.regular() {
		return nil, false, nil
	}
	text, err := tree.ReadText(c.r.t, s.p)
	return text, err == nil, err
}

// inputs returns the texts of files, or what is piped in where there are none. ok is false if one
// is missing, which is reported.
func (c *call) inputs(names []string) (texts [][]byte, ok bool, err error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	ok = true
	for _, name := range names {
		if name == "-" || name == "/dev/stdin" {
			texts = append(texts, c.In.All())
			continue
		}
		text, there, err := c.read(name)
		if err != nil {
			return nil, false, err
		}
		if !there {
			ok = false
			c.Err.Printf("%s: %s: No such file or directory\n", c.Args[0], name)
			texts = append(texts, nil)
			continue
		}
		texts = append(texts, text)
	}
	return texts, ok, nil
}

// walk calls do for what is at a place and, if it is a directory, for everything in it: a
// directory before what it contains, or with last after it.
func (c *call) walk(s spot, last bool, do func(spot) error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if !last {
		if err := do(s); err != nil {
			return err
		}
	}
	if s.dir() {
		names, err := c.r.t.ReadDir(s.p)
		if err != nil {
			return err
		}
		for _, name := range names {
			p := path.Join(s.p, name)
			n, err := c.r.t.Lstat(p)
			if err != nil {
				return err
			}
			if n == nil {
				continue
			}
			if err := c.walk(spot{p, n}, last, do); err != nil {
				return err
			}
		}
	}
	if last {
		return do(s)
	}
	return nil
}

// owner reads USER, USER:GROUP, USER: and :GROUP. The number -1 keeps what a file has.
func (c *call) owner(spec string) (tree.Owner, error) {
	o := tree.Owner{UID: -1, GID: -1}
	user, group, colon := cut(spec)
	if user != "" {
		fields, err := c.account("/etc/passwd", user, 4)
		if err != nil {
			return o, err
		}
		if o.UID = fields[2]; colon && group == "" {
			o.GID = fields[3]
		}
	}
	if group != "" {
		fields, err := c.account("/etc/group", group, 3)
		if err != nil {
			return o, err
		}
		o.GID = fields[2]
	}
	return o, nil
}

// cut separates user and group, which a dot may do as well.
func cut(spec string) (user, group string, colon bool) {
	for _, by := range []byte{':', '.'} {
		for n := range len(spec) {
			if spec[n] == by {
				return spec[:n], spec[n+1:], true
			}
		}
	}
	return spec, "", false
}

// account returns the fields of an account as numbers. A number stands for itself.
func (c *call) account(file, name string, fields int) ([]int, error) {
	if name != "root" && tree.Numeric(name) {
		o, err := tree.LookUp(c.r.t, name)
		if err != nil {
			return nil, err
		}
		return []int{0, 0, o.UID, o.UID}[:fields], nil
	}
	f, err := tree.Account(c.r.t, file, name, fields)
	if err == nil {
		return f, nil
	}
	if name == "root" {
		return make([]int, fields), nil
	}
	return nil, &noAccountError{fmt.Sprintf("invalid user or group: ‘%s’", name), err}
}

// noAccountError is about a user or group that the system does not have.
type noAccountError struct {
	text string
	err  error
}

func (e *noAccountError) Error() string { return e.text }
func (e *noAccountError) Unwrap() error { return e.err }

// first returns the first of several errors.
func first(errs ...error) error { return cmp.Or(errs...) }
