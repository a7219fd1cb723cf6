package assemble

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// each calls do for every program that an image or artifact of p needs: once per platform,
// Windows releases apart.
func each(p *product.Product, do func(decl product.Program, on platform.Platform)) {
	type key struct {
		name string
		on   platform.Platform
	}
	seen := map[key]bool{}
	add := func(decl product.Program, on platform.Platform) {
		on = on.System()
		if k := (key{decl.Name, on}); decl.IsFor(on) && !seen[k] {
			seen[k] = true
			do(decl, on)
		}
	}
	for _, i := range p.Images {
		for _, w := range kinds[i.Kind].programs(p, i) {
			for _, on := range w.on {
				add(w.program, on)
			}
		}
	}
	for _, a := range p.Artifacts {
		for _, name := range a.Programs {
			for _, on := range a.Platforms {
				add(p.Program(name), on)
			}
		}
	}
}

// Programs lists the programs of slipway.yaml that must be compiled for p. An error joins those of
// programs with mistakes, and the others are returned with it.
func Programs(p *product.Product, trees map[string]source.Tree) ([]program.Program, error) {
	var all []program.Program
	var errs []error
	each(p, func(decl product.Program, on platform.Platform) {
		tree, ok := trees[decl.Source]
		if !ok {
			return
		}
		r, err := program.New(decl, tree, p.Version, on)
		if err == nil {
			all = append(all, r)
		}
		errs = append(errs, err)
	})
	return all, output.JoinOnce(errs...)
}

// file returns a program for a platform: a prebuilt one, or one that is compiled, when it is.
func (m *maker) file(ctx context.Context, decl product.Program, on platform.Platform) (layer.Content, error) {
	if !decl.IsPrebuilt() {
		out, err := m.programs.File(ctx, decl.Name, on)
		return out.Content, err
	}
	p, _ := decl.On(on)
	f, ok := m.prebuilt[Prebuilt{decl.Name, p}]
	if !ok {
		return layer.Content{}, fmt.Errorf("program %s is not for %s", decl.Name, on)
	}
	return f.Content, nil
}
