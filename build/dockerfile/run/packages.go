package run

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/packages"
)

// packageCommands are those of package managers, which [State.Packages] carries out.
func packageCommands() (rows []command) {
	for _, name := range packages.Commands() {
		c := command{names: name, plain: true, reads: true, prints: true, managed: true, run: managed}
		if name == "dpkg" {
			c.print = managedOutput
		}
		rows = append(rows, c)
	}
	return rows
}

// managedOutput returns what a command of a package manager prints.
func managedOutput(r *runner, _ options, args []string, _ func() string) string {
	if r.s.Packages == nil {
		check(notPrinted("dpkg"))
	}
	return must(r.s.Packages.Print(append([]string{"dpkg"}, args...), r.s.System))
}

// withoutPackages passes over a line that installs packages on a base that is not at hand: a
// snapshot leaves them out, and a check does not know what they leave. It reports whether it did,
// and whether packages are locked that a release needs.
func (e *Evaluation) withoutPackages(ctx context.Context, s *State, c *instructions.RunCommand,
	commands []script.Command,
) (bool, error) {
	if !s.Tree.Open || s.Toolchain {
		return false, nil
	}
	name := ""
	for _, one := range commands {
		if len(one.Args) == 0 {
			continue
		}
		words := one.Texts()
		if k, ok := s.command(words[0]); !ok || !k.managed {
			continue
		}
		name = words[0]
		err := s.Packages.Run(ctx, packages.Call{
			Args: append([]string{path.Base(name)}, words[1:]...), Stage: s.Stage, Platform: s.System,
			Check: true, Unknown: true,
		})
		absent, later := packages.AbsentError{}, packages.LaterError{}
		switch {
		case errors.As(err, &absent) && e.Snapshot:
			e.Demand(c.Location(), strings.Join(words, " "), fmt.Errorf("RUN %s: %w", name, absent))
		case err != nil && !errors.As(err, &later):
			return true, mistake.At(strings.Join(words, " "), "RUN %s: %w", name, err)
		}
	}
	if name == "" {
		return false, nil
	}
	if e.Check && (s.Tree.Later || !e.Snapshot) {
		s.Tree.Later = true
		return true, nil
	}
	e.Note(c.Location(), name, fmt.Errorf("RUN %s: a snapshot on a stub base leaves the packages out; "+
		"a release to a registry installs them", name))
	return true, nil
}

// managed is a command of a package manager.
func managed(r *runner, _ options, args []string) {
	name := path.Base(r.name())
	err := r.s.Packages.Run(r.ctx, packages.Call{
		Args: append([]string{name}, args...), Input: r.pipe(), Env: r.s.Env.Get, Dir: r.dir,
		Stage: r.s.Stage, Platform: r.s.System, Tree: r.t, Archives: r.eval.Archives, Check: r.eval.Check,
	})
	absent, later := packages.AbsentError{}, packages.LaterError{}
	at := strings.Join(append([]string{r.name()}, args...), " ")
	switch {
	case errors.As(err, &absent) && r.eval.Snapshot:
		r.t.Open = true
		r.eval.Note(r.location, at, fmt.Errorf("RUN %s: a snapshot leaves the packages out: %w", name, absent))
		r.eval.Demand(r.location, at, fmt.Errorf("RUN %s: %w", name, absent))
	case errors.As(err, &later):
		r.eval.Assume()
		r.t.Open, r.t.Later = true, true
		check(errLater)
	case err != nil:
		failAt(at, "RUN %s: %w", name, err)
	}
}

// pipe returns how to read what is piped into the current command; nil for nothing.
func (r *runner) pipe() func() (string, error) {
	c := r.command()
	if c.Input == nil {
		return nil
	}
	return func() (text string, err error) {
		err = try(func() { text = r.input(c) })
		return text, err
	}
}

// refuseManaged reports what is certain to be wrong with a command of a package manager.
func (s *State) refuseManaged(words []string) error {
	words = append([]string{path.Base(words[0])}, words[1:]...)
	if err := s.Packages.Check(words); err != nil {
		if l := (mistake.Located{}); errors.As(err, &l) {
			return err
		}
		return mistake.At(strings.Join(words, " "), "RUN %s: %w", words[0], err)
	}
	return nil
}
