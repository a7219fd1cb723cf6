package build

import (
	"errors"
	"slices"

	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Programs lists what must be compiled for p: each program once per platform, Windows
// releases apart, that an image or artifact needs it for. It returns the good programs beside an
// error, which joins what is wrong with the others.
func Programs(p *product.Product, trees map[string]source.Tree) ([]program.Program, error) {
	var all []program.Program
	var errs []error
	said := map[string]bool{}
	add := func(decl product.Program, on platform.Platform) {
		tree, ok := trees[decl.Source]
		if !ok || !decl.IsFor(on) {
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
		if !slices.ContainsFunc(all, func(o program.Program) bool { return o.Name == r.Name && o.Platform == on }) {
			all = append(all, r)
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
	return all, errors.Join(errs...)
}
