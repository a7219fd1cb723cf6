package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/disk"
)

// compiler makes the programs of go build in Dockerfiles from the sources of the product, as those
// under programs in slipway.yaml are made.
func (b *Builder) compiler() dockerfile.Compiler {
	return dockerfile.Compiler{
		Check: func(g dockerfile.GoBuild) error {
			p, err := b.goBuild(g)
			if err != nil {
				return err
			}
			return p.Check()
		},
		File: func(ctx context.Context, g dockerfile.GoBuild) (layer.Content, error) {
			p, err := b.goBuild(g)
			if err != nil {
				return layer.Content{}, err
			}
			for _, known := range b.compiled {
				if known.Same(p) {
					out, err := b.programs.File(ctx, known.Name, known.Platform)
					return out.Content, err
				}
			}
			return layer.Content{}, fmt.Errorf("program %s was not found by the check before: run again, and do not change the Dockerfile while it is built", g.Name)
		},
	}
}

// goBuild returns the program of a go build. Its name may be that of another one.
func (b *Builder) goBuild(g dockerfile.GoBuild) (program.Program, error) {
	tree, ok := b.treeOf(g.Dir)
	if !ok {
		return program.Program{}, fmt.Errorf("RUN go build: %s is in no source of slipway.yaml: declare the directory, or the module, under sources", g.Dir)
	}
	p := program.Program{Name: g.Name, Tree: tree, Package: g.Package, Platform: g.Platform, Env: g.Env}
	p.Tree.Dir = g.Dir // of a module in a directory of the source
	if g.Ldflags != "" {
		p.Ldflags = []string{g.Ldflags}
	}
	for _, f := range g.Flags {
		if tree.Fixed && f == "-mod=vendor" {
			continue // modules of a proxy have no vendor directory
		}
		p.Flags = append(p.Flags, f)
	}
	if len(g.Tags) > 0 {
		p.Flags = append(p.Flags, "-tags="+strings.Join(g.Tags, ","))
	}
	return p, nil
}

// treeOf returns the source that a directory is in, the innermost where there are several.
func (b *Builder) treeOf(dir string) (found source.Tree, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(b.trees)) {
		t := b.trees[name]
		if disk.Within(t.Dir, dir) && (!ok || len(t.Dir) > len(found.Dir)) {
			found, ok = t, true
		}
	}
	return found, ok
}

// addPrograms adds the programs of Dockerfiles, which the check has found, to those of
// slipway.yaml. One that is the same as another is compiled once; one that has only the name of
// another gets the name of its image, too.
func (b *Builder) addPrograms(all []program.Program) []program.Program {
	for n, f := range b.found {
		for _, g := range f.builds {
			p, err := b.goBuild(g)
			if err != nil || slices.ContainsFunc(all, p.Same) {
				continue // the check has reported the error
			}
			name := p.Name
			for k := 1; slices.ContainsFunc(all, func(o program.Program) bool { return o.Name == p.Name && o.Platform == p.Platform }); k++ {
				if p.Name = b.product.Images[n].Name + "/" + name; k > 1 {
					p.Name += fmt.Sprintf("-%d", k)
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// Programs lists what must be compiled for the product: see [Programs]. It is for a builder that
// has checked the product, which finds the programs of Dockerfiles.
func (b *Builder) Programs() ([]program.Program, error) {
	all, err := Programs(b.product, b.trees)
	return b.addPrograms(all), err
}
