package run

import (
	"context"
	"errors"
	"slices"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/internal/output"
)

// dryRun carries out the commands of a RUN on a copy of its stage while the line is read, as far
// as the rest of the line depends on the files that they leave. What it finds wrong is wrong with
// the line.
type dryRun struct {
	ctx  context.Context //nolint:containedctx // it is the state of one call
	eval *Evaluation
	s    *State
	line *instructions.RunCommand
	r    *runner // nil where nothing was asked yet
	done int     // how many commands were carried out
	err  error   // of one of them
}

// errNoFiles is about a stage whose files are not known at all, which has been reported.
var errNoFiles = errors.New("no files are known")

// withoutFiles drops what a line lacks only since no files are known.
func withoutFiles(err error) error {
	return errors.Join(slices.DeleteFunc(output.Split(err), func(e error) bool { return errors.Is(e, errNoFiles) })...)
}

// files are the answers for a script.
func (h *dryRun) files() script.Files {
	return script.Files{
		Test: func(before []script.Command, op, name string) (ok bool, err error) {
			r, err := h.after(before, script.Words([]string{"["}))
			if err != nil {
				return false, err
			}
			if err = try(func() { ok = r.test(op, name) }); err != nil {
				err = mistake.At(name, "RUN [ %s %s ]: %w", op, name, err)
			}
			return ok, err
		},
		Match: func(before []script.Command, w script.Word) (names []string, err error) {
			r, err := h.after(before, script.Words([]string{"for"}))
			if err == nil {
				err = try(func() { names = r.match(w) })
			}
			return names, err
		},
		Print: func(before []script.Command, c script.Command) (text string, err error) {
			for in := &c; in != nil; in = in.Input {
				if _, ok := printer(in.Args[0].Text); !ok {
					return "", script.ErrOutput
				}
			}
			r, err := h.after(before, c)
			if err != nil {
				return "", err
			}
			if err = try(func() { text = r.prints(c) }); err != nil {
				err = r.named(err)
			}
			return text, err
		},
	}
}

// after returns a runner that stands before command c.
func (h *dryRun) after(before []script.Command, c script.Command) (*runner, error) {
	if h.s.Tree == nil || h.s.Windows() || h.s.guess && !h.s.Toolchain {
		return nil, errNoFiles
	}
	if h.r == nil || h.done > len(before) {
		h.done, h.err = 0, h.begin()
	}
	if h.err != nil {
		return nil, h.err
	}
	// written bytes count, and notes are made, when the line itself is carried out
	budget := *h.eval.Archives.Budget
	defer func() { *h.eval.Archives.Budget = budget }()
	h.r.commands = append(slices.Clone(before), c)
	for ; h.done < len(before) && h.err == nil; h.done++ {
		if !h.s.Toolchain {
			if h.err = h.s.refuseOne(before[h.done]); h.err != nil {
				break
			}
		}
		h.err = h.r.step(h.done)
	}
	h.r.current = len(before)
	return h.r, h.err
}

// begin makes the copy.
func (h *dryRun) begin() error {
	if err := h.s.refuseLine(); err != nil {
		return err
	}
	s := *h.s
	s.Tree, s.Env, s.Config, s.Skipped = h.s.Tree.Clone(), h.s.Env.Clone(), *h.s.Config.DeepCopy(),
		slices.Clone(h.s.Skipped)
	quiet := *h.eval
	quiet.Note = func([]parser.Range, string, error) {}
	h.r = newRunner(h.ctx, &quiet, &s, h.line)
	return h.r.mount(h.line)
}

// skipped are the commands that were skipped before the last question.
func (h *dryRun) skipped() []*Skip {
	if h.r == nil {
		return h.s.Skipped
	}
	return h.r.s.Skipped
}

// later reports whether the files that a stage does not know are known when the image is built.
func (e *Evaluation) later(s *State) bool { return !s.Toolchain && (s.Tree.Later || e.BasesLater) }

// unread reports whether all that is wrong with a line is that it depends on what a check does not
// read.
func (e *Evaluation) unread(s *State, err error) bool {
	open := e.later(s)
	return !slices.ContainsFunc(output.Split(err), func(one error) bool {
		return !errors.Is(one, errLater) && (!open || !errors.Is(one, errUnknown))
	})
}
