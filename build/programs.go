package build

import (
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/lifecycle"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/product"
)

// programs lists what must be compiled for p: each program once per system that an image or artifact wants it for.
func programs(p *product.Product, trees map[string]source.Tree) ([]program.Program, error) {
	var all []program.Program
	add := func(decl product.Program, on v1.Platform) error {
		if len(decl.Systems) > 0 && !slices.Contains(decl.Systems, on.OS) {
			return nil
		}
		on.OSVersion = ""
		r, err := program.New(decl, trees[decl.Source], p.Version, on)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(o program.Program) bool { return o.Name == r.Name && o.Platform.Equals(on) }) {
			all = append(all, r)
		}
		return nil
	}
	for _, i := range p.Images {
		if i.Lifecycle != nil {
			for _, prog := range lifecycle.Programs {
				for _, on := range lifecycle.Systems {
					decl := product.Program{Name: lifecycleProgram(i, prog.Name), Source: i.Lifecycle.Source, Package: prog.Package}
					if err := add(decl, on); err != nil {
						return nil, err
					}
				}
			}
			continue
		}
		for _, name := range programsOf(p, i) {
			for _, on := range i.Platforms {
				if err := add(p.Program(name), on); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, a := range p.Artifacts {
		for _, name := range a.Programs {
			for _, on := range a.Platforms {
				if err := add(p.Program(name), on); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
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
