//go:build linux

package buildkit

import (
	"context"
	"errors"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// compiler makes the programs of go build in Dockerfiles, as a release does.
func compiler(st *store.Store) containerfile.Compiler {
	of := func(g containerfile.GoBuild) program.Program {
		p := program.Program{
			Name: g.Name, Tree: source.Tree{Source: product.Source{Name: "source"}, Dir: g.Dir},
			Package: g.Package, Platform: g.Platform, Flags: g.Flags, Env: g.Env,
		}
		if g.Ldflags != "" {
			p.Ldflags = []string{g.Ldflags}
		}
		if len(g.Tags) > 0 {
			p.Flags = append(p.Flags, "-tags="+strings.Join(g.Tags, ","))
		}
		return p
	}
	return containerfile.Compiler{
		Check: func(g containerfile.GoBuild) error { return of(g).Check() },
		File: func(ctx context.Context, g containerfile.GoBuild) (layer.Content, error) {
			set, wait := program.Start(ctx, st, nil, []program.Program{of(g)})
			out, err := set.File(ctx, g.Name, g.Platform)
			return out.Content, errors.Join(wait(), err)
		},
	}
}
