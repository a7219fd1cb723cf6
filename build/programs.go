package build

import (
	"errors"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/lifecycle"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/product"
)

// programs lists what must be compiled for p: each program once per system that an image or
// artifact wants it for. Beside an error, which joins all mistakes, are the programs without one.
func programs(p *product.Product, trees map[string]source.Tree) ([]program.Program, error) {
	var all []program.Program
	var errs []error
	said := map[string]bool{}
	add := func(decl product.Program, on v1.Platform) {
		tree, ok := trees[decl.Source]
		if !ok || len(decl.Systems) > 0 && !slices.Contains(decl.Systems, on.OS) {
			return
		}
		on.OSVersion = ""
		r, err := program.New(decl, tree, p.Version, on)
		if err != nil {
			if !said[err.Error()] { // for another platform
				errs = append(errs, err)
			}
			said[err.Error()] = true
			return
		}
		if !slices.ContainsFunc(all, func(o program.Program) bool { return o.Name == r.Name && o.Platform.Equals(on) }) {
			all = append(all, r)
		}
	}
	for _, i := range p.Images {
		if i.Lifecycle != nil {
			for _, prog := range lifecycle.Programs {
				for _, on := range lifecycle.Systems {
					add(product.Program{Name: lifecycleProgram(i, prog.Name), Source: i.Lifecycle.Source, Package: prog.Package}, on)
				}
			}
			continue
		}
		for _, name := range programsOf(p, i) {
			for _, on := range i.Platforms {
				add(p.Program(name), on)
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
	return all, errors.Join(errs...)
}

// programsOf names the programs that an image may hold.
func programsOf(p *product.Product, i product.Image) []string {
	switch {
	case i.Go != nil:
		return []string{i.Go.Program}
	case i.Dockerfile != nil && len(i.Dockerfile.Programs) > 0:
		return i.Dockerfile.Programs
	case i.Dockerfile != nil:
		var all []string
		for _, d := range p.Programs {
			all = append(all, d.Name)
		}
		return all
	}
	return nil
}
