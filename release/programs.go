package release

import (
	"context"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/platform"
)

// The states of programs that nothing compiles.
const (
	there    program.State = "prebuilt" // a file, or a download that the store has
	download program.State = "download"
)

// PlannedProgram is a program for one platform. Windows releases share it.
type PlannedProgram struct {
	Name     string            `json:"name"`
	Source   string            `json:"source,omitempty"`  // its name in slipway.yaml
	Package  string            `json:"package,omitempty"` // relative to the source
	From     string            `json:"from,omitempty"`    // path or URL of a prebuilt program
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
			Name: p.Name, Source: p.Tree.Source.Name, Package: p.Package, Platform: p.Platform, State: states[n],
			Reason: pl.why(p, states[n]),
		})
	}
	for _, p := range assemble.PrebuiltPrograms(pl.product) {
		pl.Programs = append(pl.Programs, pl.prebuilt(p))
	}
	return nil
}

// prebuilt describes a prebuilt program.
func (pl *planner) prebuilt(p assemble.Prebuilt) PlannedProgram {
	out := PlannedProgram{
		Name: p.Name, From: p.Origin, Platform: p.Platform,
		State: there, Reason: p.Origin + " already exists",
	}
	if p.URL != "" {
		out.Reason = "the store has " + p.URL
		if !pl.store.Has(v1.Hash{Algorithm: "sha256", Hex: p.SHA256}) {
			out.State, out.Reason = download, "from "+p.URL
		}
	}
	return out
}

// why states why a program is in its state.
func (pl *planner) why(p program.Program, s program.State) string {
	switch {
	case s == program.Kept:
		return "compiled before, from the same inputs"
	case s == program.Compare:
		return "compiled before; the go command looks for changes in source " + p.Tree.Source.Name
	case pl.old == nil:
		return "no earlier release"
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
