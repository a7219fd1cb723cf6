package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/tree"
)

type runner struct {
	ctx      context.Context //nolint:containedctx // it is the state of one call
	eval     *Evaluation
	s        *State
	t        *tree.Tree
	dir      string    // the working directory
	outer    []workDir // those around the current subshell
	logical  string    // and by which names it was reached; empty if that is not known
	commands []script.Command
	current  int // the number of the current command

	writes string // the file that the output of the current command goes into

	location  []parser.Range
	downloads []*download
	lenient   bool     // files of a stub keep their modes and owners
	left      bool     // some of them were
	volatile  []string // caches, which are there only while RUN runs
}

// workDir is a working directory, and by which names it was reached.
type workDir struct{ dir, logical string }

func newRunner(ctx context.Context, e *Evaluation, s *State, c *instructions.RunCommand) *runner {
	r := &runner{ctx: ctx, eval: e, s: s, t: s.Tree, dir: s.Dir(), location: c.Location()}
	if p, err := tree.Follow(s.Tree, r.dir); err == nil && p == path.Clean(r.dir) {
		r.logical = p
	}
	return r
}

// errUnknown is about files of a base that is not at hand.
var errUnknown = errors.New("the files of the base are unknown, since a snapshot replaces it by a stub: " +
	"name a registry, or take what the line needs out of another stage or image with COPY --from")

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
		// it may need the file that is not read
		case err == nil, later != nil && r.ctx.Err() == nil && !strings.HasSuffix(c.Args[0].Text, "go"):
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
	r.current = i
	c := r.command()
	err := try(func() { r.one(c) })
	switch {
	case r.s.tolerates(c, err):
		r.skip(nil)
		return nil
	case err != nil && !errors.Is(err, errLater) && r.s.excuses(err):
		r.skip(r.named(err))
		return nil
	case err != nil:
		return r.named(err)
	}
	return nil
}

func (r *runner) command() script.Command { return r.commands[r.current] }

func (r *runner) name() string { return r.command().Args[0].Text }

// group begins or ends a subshell.
func (r *runner) group(n int) {
	if n > 0 {
		r.outer = append(r.outer, workDir{r.dir, r.logical})
		return
	}
	last := len(r.outer) - 1
	r.dir, r.logical, r.outer = r.outer[last].dir, r.outer[last].logical, r.outer[:last]
}

func (r *runner) named(err error) error {
	if l := (mistake.Located{}); !errors.As(err, &l) {
		return mistake.At(r.name(), "RUN %s: %w", r.name(), err)
	}
	return err
}

func (r *runner) one(c script.Command) {
	if c.Group != 0 {
		r.group(c.Group)
		return
	}
	if r.s.Toolchain {
		if err := r.s.refuseOne(c); err != nil {
			check(refused{err})
		}
	}
	words := r.words(c)
	if c.Output != nil {
		defer func() { r.writes = "" }()
		_ = try(func() { r.writes = r.find(c.Output.File.Text, true).p }) // it is reported when it is written
	}
	k, _ := r.s.command(c.Args[0].Text)
	o, args, err := k.parse(words)
	if err == nil && k.slashes {
		o, args, err = k.switches(args)
	}
	check(err)
	name := strings.TrimPrefix(strings.TrimPrefix(c.Args[0].Text, "/usr"), "/bin/")
	r.lenient = r.t.Open && !r.s.Toolchain && !r.eval.BasesLater &&
		(name == "chmod" || name == "chown" || name == "chgrp" || isSystem(path.Base(name)))
	defer func() { r.lenient, r.left = false, false }()
	k.run(r, o, args)
	if r.left {
		r.eval.Note(r.location,
			c.Args[0].Text,
			fmt.Errorf("RUN %s: a snapshot leaves the files of the base as they are, since a stub replaces it; "+
				"a release to a registry changes them", c))
	}
}

// words are the arguments of a command, with the names of files in the place of patterns.
func (r *runner) words(c script.Command) []string {
	var words []string
	for _, w := range c.Args[1:] {
		words = append(words, r.match(w)...)
	}
	return words
}

// failure ends a command: what carries it out panics with one, and [try] returns its error. So a
// command reads like what it does, as with the panics of text/template.
type failure struct{ err error }

// try calls do and returns the error that it fails with.
func try(do func()) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	do()
	return nil
}

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func fail(format string, args ...any) { check(fmt.Errorf(format, args...)) }

func failAt(word, format string, args ...any) { check(mistake.At(word, format, args...)) }

// mount reads the mounts of a RUN. The contents of a cache do not go into the image, and so files
// there are refused.
func (r *runner) mount(c *instructions.RunCommand) error {
	err := try(func() {
		for _, m := range instructions.GetMounts(c) {
			r.mountOne(m)
		}
	})
	if err != nil {
		err = mistake.At("--mount", "%w", err)
	}
	return err
}

func (r *runner) mountOne(m *instructions.Mount) {
	target := path.Clean(must(system.NormalizePath(r.dir, m.Target, r.s.System.OS, false)))
	switch m.Type {
	case instructions.MountTypeCache, instructions.MountTypeTmpfs:
		r.volatile = append(r.volatile, target)
		return
	case instructions.MountTypeSecret, instructions.MountTypeSSH:
		fail("RUN --mount=type=%s is not supported: no command is run, so that nothing needs the secret: leave it out",
			m.Type)
	}
	from := must(r.eval.Files(r.ctx, m.From, m.Source))
	source, n, err := tree.Resolve(from, path.Join("/", m.Source))
	check(err)
	if n == nil {
		check(tree.Missing(from, path.Join("/", m.Source)))
	}
	if target == "/" {
		fail("a mount in / hides the whole image: name another target")
	}
	r.t.Mounts = append(r.t.Mounts, tree.Mount{Target: target, Files: from, Source: source})
}
