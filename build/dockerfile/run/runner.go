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

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// runner carries out the commands of one RUN.
type runner struct {
	ctx      context.Context //nolint:containedctx // it is the state of one call
	eval     *Evaluation
	s        *State
	t        *tree.Tree
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

func newRunner(ctx context.Context, e *Evaluation, s *State, c *instructions.RunCommand) *runner {
	r := &runner{ctx: ctx, eval: e, s: s, t: s.Tree, dir: s.Dir(), location: c.Location()}
	if at, err := tree.Follow(s.Tree, r.dir); err == nil && at == path.Clean(r.dir) {
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
	if l := (mistake.Located{}); !errors.As(err, &l) {
		return mistake.At(name, "RUN %s: %w", name, err)
	}
	return err
}

func (r *runner) one(c script.Command) error {
	if c.Group != 0 {
		r.group(c.Group)
		return nil
	}
	if r.s.Toolchain {
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
	r.lenient = r.t.Open && !r.s.Toolchain && (r.eval.Snapshot || !r.eval.Check) && (name == "chmod" || name == "chown" || name == "chgrp")
	defer func() { r.lenient, r.left = false, false }()
	if err := t.run(r, o, args); err != nil {
		return err
	}
	if r.left {
		r.eval.Note(r.location, c.Args[0].Text, fmt.Errorf("RUN %s: a snapshot leaves the files of the base as they are, since a stub replaces it; a release to a registry changes them", c))
	}
	return nil
}
