package assemble

import (
	"context"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// compiledIn returns the trees that programs are compiled in, each directory once. Its go.mod may
// choose a toolchain.
func compiledIn(programs []program.Program) (all []source.Tree) {
	for _, p := range programs {
		if !slices.ContainsFunc(all, func(t source.Tree) bool { return t.Dir == p.Tree.Dir }) {
			all = append(all, p.Tree)
		}
	}
	return all
}

// toolchains lists the Go toolchains that compile programs.
func toolchains(ctx context.Context, programs []program.Program) (all []lock.Material, err error) {
	for _, tree := range compiledIn(programs) {
		tool, err := tree.Toolchain(ctx)
		if err != nil {
			return nil, err
		}
		m := lock.Material{URI: purl.Go("golang.org/toolchain", tool.Version), Local: tool.Sum == ""}
		if tool.Sum != "" {
			if m.DirHash, err = dirHash(tool.Sum); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(all, func(o lock.Material) bool { return o.URI == m.URI }) {
			all = append(all, m)
		}
	}
	return all, nil
}

// GoVersion returns the versions of the toolchains that compile programs, sorted, with commas
// between them: "go1.26.8"; "" for no programs.
func GoVersion(ctx context.Context, programs []program.Program) (string, error) {
	var all []string
	for _, tree := range compiledIn(programs) {
		v, err := tree.GoVersion(ctx)
		if err != nil {
			return "", err
		}
		all = append(all, v)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), lock.GoSeparator), nil
}
