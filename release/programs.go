package release

import (
	"context"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/platform"
)

// PlannedProgram is a program for one platform. Windows releases share it.
type PlannedProgram struct {
	Name     string            `json:"name"`
	Source   string            `json:"source"`  // its name in slipway.yaml
	Package  string            `json:"package"` // relative to the source
	Platform platform.Platform `json:"platform"`
	State    program.State     `json:"state"`
	Reason   string            `json:"reason"`
}

// programs lists what the images and artifacts need, and whether it has to be compiled.
func (pl *planner) programs(ctx context.Context) error {
	states, err := program.Look(ctx, pl.store, pl.compiled)
	if err != nil {
		pl.refuse(err)
		states = slices.Repeat([]program.State{program.Compile}, len(pl.compiled))
	}
	for n, p := range pl.compiled {
		pl.Programs = append(pl.Programs, PlannedProgram{
			Name: p.Name, Source: p.Tree.Source.Name, Package: p.Package, Platform: p.Platform, State: states[n], Reason: pl.why(p, states[n]),
		})
	}
	return nil
}

// why tells why a program is in its state.
func (pl *planner) why(p program.Program, s program.State) string {
	switch {
	case s == program.Kept:
		return "compiled before, from the same inputs"
	case s == program.Compare:
		return "compiled before; the go command looks for changes in source " + p.Tree.Source.Name
	case pl.old == nil:
		return "there is no earlier release"
	}
	var reasons []string
	for _, c := range pl.Changes {
		switch c.Input {
		case "source " + p.Tree.Source.Name, "go":
			reasons = append(reasons, c.String())
		case "version":
			flags := slices.Concat(p.Ldflags, p.Flags, p.Env)
			if slices.ContainsFunc(flags, func(s string) bool { return strings.Contains(s, pl.Version) }) {
				reasons = append(reasons, "its flags have the "+c.String())
			}
		}
	}
	if len(reasons) == 0 {
		return "the store does not have it with these flags"
	}
	return strings.Join(reasons, "; ")
}
