package assemble

import (
	"slices"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Need is a unit of the build, and the programs that have to be compiled for it: an image for all
// platforms of one operating system and architecture, an image without an index, or an artifact
// for one platform.
type Need struct {
	product.Portion

	Artifact bool
	Programs []program.Program
}

// Needs lists the images and artifacts of the product, in its order.
func (f *Found) Needs() []Need {
	p, compiled := f.reader.Product, f.Programs
	var all []Need
	for n, i := range p.Images {
		k := kinds[i.Kind]
		wants := k.programs(p, i)
		if k.systems != nil {
			all = append(all, Need{
				Portion:  product.Portion{Name: i.Name, Platforms: i.Platforms},
				Programs: among(compiled, wants, systems(wants)...),
			})
			continue
		}
		for _, on := range platform.Systems(i.Platforms) {
			others := func(q platform.Platform) bool { return q.System() != on }
			of := slices.DeleteFunc(slices.Clone(i.Platforms), others)
			programs := among(compiled, wants, on)
			programs = append(programs, f.ofDockerfile(n, on)...)
			all = append(all, Need{Portion: product.Portion{Name: i.Name, Platforms: of}, Programs: programs})
		}
	}
	for _, a := range p.Artifacts {
		for _, on := range a.Platforms {
			var wants []wanted
			for _, name := range p.ProgramsOf(a, on) {
				wants = append(wants, wanted{p.Program(name), []platform.Platform{on}})
			}
			all = append(all, Need{
				Portion:  product.Portion{Name: a.Name, Platforms: []platform.Platform{on}},
				Artifact: true, Programs: among(compiled, wants, on.System()),
			})
		}
	}
	return all
}

// among returns the programs that are wanted for some platforms.
func among(compiled []program.Program, wants []wanted, on ...platform.Platform) (all []program.Program) {
	for _, w := range wants {
		for _, p := range compiled {
			s := p.Platform.System()
			if p.Name == w.program.Name && slices.Contains(on, s) && slices.Contains(platform.Systems(w.on), s) {
				all = append(all, p)
			}
		}
	}
	return all
}

// ofDockerfile returns the programs that the Dockerfile of the nth image compiles for a platform.
func (f *Found) ofDockerfile(n int, on platform.Platform) (all []program.Program) {
	for _, g := range f.images[n].builds {
		p, err := f.reader.goBuild(g)
		if err != nil || g.Platform.System() != on {
			continue
		}
		if n := slices.IndexFunc(f.Programs, p.Same); n >= 0 {
			all = append(all, f.Programs[n])
		}
	}
	return all
}

// systems returns the platforms that programs are compiled for.
func systems(wants []wanted) (all []platform.Platform) {
	for _, w := range wants {
		all = append(all, w.on...)
	}
	return platform.Systems(all)
}
