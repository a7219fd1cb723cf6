package dockerfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/layer"
)

// runner carries out the commands of one RUN.
type runner struct {
	ctx      context.Context //nolint:containedctx // it is the state of one call
	b        *builder
	s        *stage
	t        *tree
	dir      string      // the working directory
	outer    []workplace // those around the current subshell
	logical  string      // and by which names it was reached; empty if that is not known
	commands []script.Command
	at       int // the number of the current command

	writes string // the file that the output of the current command goes into

	location  []parser.Range
	downloads []*download
	lenient   bool     // files of a stub keep their modes and owners
	left      bool     // some of them were
	volatile  []string // caches, which are there only while RUN runs
}

// workplace is a working directory, and by which names it was reached.
type workplace struct{ dir, logical string }

func newRunner(ctx context.Context, b *builder, s *stage, c *instructions.RunCommand) *runner {
	r := &runner{ctx: ctx, b: b, s: s, t: s.tree, dir: s.dir(), location: c.Location()}
	if at, err := follow(s.tree, r.dir); err == nil && at == path.Clean(r.dir) {
		r.logical = at
	}
	return r
}

// errUnknown is about files of a base that is not at hand.
var errUnknown = errors.New("the files of the base are not known here, since a snapshot replaces it by a stub: name a registry, or take what the line needs out of another stage or image with COPY --from")

// errLater is about bytes that a check does not have: of a download, or of a program.
var errLater = errors.New("a check does not read it")

// all carries out every command, in the order of the line.
func (r *runner) all() error {
	var later error
	for i, c := range r.commands {
		err := r.step(i)
		switch {
		case errors.Is(err, errLater):
			later = err
		case err == nil, later != nil && r.ctx.Err() == nil && !strings.HasSuffix(c.Args[0].Text, "go"): // it may need what is not read
		default:
			return err
		}
	}
	return cmp.Or(later, r.unchecked())
}

// step carries out one command, or passes over it.
func (r *runner) step(i int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.at = i
	c := r.commands[i]
	err := r.one(c)
	switch {
	case r.s.tolerates(c, err):
		r.pass(nil)
		return nil
	case err != nil && !errors.Is(err, errLater) && r.s.excuses(err):
		r.pass(r.about(err))
		return nil
	case err != nil:
		return r.about(err)
	}
	return nil
}

// group begins or ends a subshell.
func (r *runner) group(n int) {
	if n > 0 {
		r.outer = append(r.outer, workplace{r.dir, r.logical})
		return
	}
	last := len(r.outer) - 1
	r.dir, r.logical, r.outer = r.outer[last].dir, r.outer[last].logical, r.outer[:last]
}

// about names the current command in an error.
func (r *runner) about(err error) error {
	name := r.commands[r.at].Args[0].Text
	if l := (located{}); !errors.As(err, &l) {
		return located{name, fmt.Errorf("RUN %s: %w", name, err)}
	}
	return err
}

func (r *runner) one(c script.Command) error {
	if c.Group != 0 {
		r.group(c.Group)
		return nil
	}
	if r.s.toolchain {
		if err := r.s.refuseOne(c); err != nil {
			return refused{err}
		}
	}
	if c.Call != nil {
		return r.call(*c.Call)
	}
	var words []string
	for _, w := range c.Args[1:] {
		some, err := r.match(w)
		if err != nil {
			return err
		}
		words = append(words, some...)
	}
	if c.Output != nil {
		if out, err := r.find(c.Output.File.Text, true); err == nil {
			r.writes = out.p
		}
		defer func() { r.writes = "" }()
	}
	t, _ := r.s.tool(c.Args[0].Text)
	o, args, err := t.parse(words)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(strings.TrimPrefix(c.Args[0].Text, "/usr"), "/bin/")
	r.lenient = r.t.open && !r.s.toolchain && (r.b.in.Snapshot || !r.b.in.Check) && (name == "chmod" || name == "chown" || name == "chgrp")
	defer func() { r.lenient, r.left = false, false }()
	if err := t.run(r, o, args); err != nil {
		return err
	}
	if r.left {
		r.b.notes.add(r.location, c.Args[0].Text, fmt.Errorf("RUN %s: a snapshot leaves the files of the base as they are, since a stub replaces it; a release to a registry changes them", c))
	}
	return nil
}

// spot is where a name leads.
type spot struct {
	p     string
	n     *node // nil where nothing is
	slash bool  // the name ends in a slash
	name  string
}

// spot returns what is at a name. Without through a symbolic link at the end is not followed.
func (r *runner) spot(name string, through bool) (spot, error) {
	s, err := r.find(name, through)
	switch {
	case err != nil:
		return s, err
	case s.n == nil && r.unknown(s.p):
		return s, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n == nil:
		return s, located{name, fmt.Errorf("RUN %s: %s is not there", r.commands[r.at].Args[0].Text, name)}
	case r.s.toolchain && s.n.kind != layer.Dir && len(r.s.doubts(s.p, s.n)) > 0:
		return s, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n.odd != "":
		return s, fmt.Errorf("%s is %s, which a layer cannot contain here", name, s.n.odd)
	}
	return s, nil
}

// unknown reports whether a path, at which the tree has nothing, may be in a base that is not at
// hand.
func (r *runner) unknown(p string) bool { return r.t.open && !r.t.hidden(p) }

// find is spot for what may be missing. In a base whose files are not known it is taken to be
// missing, as COPY does.
func (r *runner) find(name string, through bool) (spot, error) {
	s := spot{name: name}
	p, err := r.absolute(name)
	if err != nil {
		return s, err
	}
	trimmed := strings.TrimRight(p, "/")
	s.slash = trimmed != p
	if err := r.upwards(name, trimmed); err != nil {
		return s, err
	}
	dir, base := path.Split(trimmed)
	if through && !s.slash {
		if s.slash, err = r.slashed(dir, base); err != nil {
			return s, err
		}
	}
	if through || s.slash || base == "" || base == "." || base == ".." {
		s.p, err = follow(r.t, trimmed)
	} else if s.p, err = follow(r.t, dir); err == nil {
		s.p = path.Join(s.p, base)
	}
	if err != nil {
		return s, err
	}
	if err := r.mounted(s.p); err != nil {
		return s, err
	}
	if s.n, err = r.t.lstat(s.p); err != nil {
		return s, err
	}
	if s.slash && s.n != nil && s.n.kind != layer.Dir || base == "." && (s.n == nil && !r.unknown(s.p) || s.n != nil && s.n.kind != layer.Dir) {
		return s, fmt.Errorf("%s is not a directory", name)
	}
	return s, nil
}

// slashed reports whether a name is a link, or the first of several, to something that ends in a
// slash or a dot, and so to a directory.
func (r *runner) slashed(dir, base string) (bool, error) {
	at, err := follow(r.t, dir)
	if err != nil {
		return false, err
	}
	for range 40 {
		n, err := r.t.lstat(path.Join(at, base))
		if err != nil || n == nil || n.kind != layer.Symlink {
			return false, err
		}
		if last := path.Base(n.link); strings.HasSuffix(n.link, "/") || strings.HasSuffix(n.link, "/.") || last == ".." || n.link == "." {
			return true, nil
		}
		next, last := path.Split(n.link)
		if !path.IsAbs(next) {
			next = at + "/" + next
		}
		if at, err = follow(r.t, next); err != nil {
			return false, err
		}
		base = last
	}
	return false, nil
}

// itself refuses the name of a link with a slash behind it, which leads to another file for each
// command.
func (r *runner) itself(name string) error {
	trimmed := strings.TrimRight(slashed(name), "/")
	if trimmed == slashed(name) || trimmed == "" {
		return nil
	}
	s, err := r.find(trimmed, false)
	if err == nil && s.n != nil && s.n.kind == layer.Symlink {
		err = fmt.Errorf("%s is a link: write it without the slash, or name what it leads to", name)
	}
	return err
}

// upwards checks that there is a directory before each ".." of a path.
func (r *runner) upwards(name, p string) error {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if part != ".." {
			continue
		}
		at, n, err := resolve(r.t, strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		if at != "/" && (n == nil && !r.unknown(at) || n != nil && n.kind != layer.Dir) {
			return fmt.Errorf("%s: there is no directory %s", name, at)
		}
	}
	return nil
}

// absolute returns the path that a name means, with its links and "..".
func (r *runner) absolute(name string) (string, error) {
	if name == "" {
		return "", errors.New("the name of a file is empty")
	}
	if r.s.windows() {
		name = slashed(name)
		if strings.ContainsAny(name, ":*?") {
			return "", fmt.Errorf("%s is not a plain path on drive C", name)
		}
	}
	if !path.IsAbs(name) {
		name = r.dir + "/" + name
	}
	if len(name) > maxSource {
		return "", errors.New("a path is too long")
	}
	return name, nil
}

// mounted refuses what lies in file systems that are there only while a command runs.
func (r *runner) mounted(p string) error {
	if r.s.windows() {
		return nil
	}
	for _, m := range append([]string{"/proc", "/sys", "/dev", "/etc/hosts", "/etc/resolv.conf"}, r.volatile...) {
		if p == m || strings.HasPrefix(p, m+"/") {
			return fmt.Errorf("%s is not the image's own while RUN runs, so that nothing done to it would stay: use COPY", m)
		}
	}
	return nil
}

// make puts a new file at p. As on Linux, one in a directory with the setgid bit has its group.
func (r *runner) make(p string, n *node) error {
	dir, err := r.t.lstat(path.Dir(p))
	switch {
	case err != nil:
		return err
	case dir == nil && r.unknown(path.Dir(p)):
		if err := r.t.mkdirAll(path.Dir(p), rootNode); err != nil {
			return err
		}
		r.t.assumed[path.Dir(p)] = true
	case dir == nil:
		return fmt.Errorf("there is no directory %s: make it before, with mkdir -p", path.Dir(p))
	case dir.kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", path.Dir(p))
	default:
		n = inherit(dir, n)
	}
	return r.t.set(p, n)
}
