package assemble

import (
	"context"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/assemble/lifecycle"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// kinds is how images of each kind of slipway.yaml are built. A new kind is an entry here and in
// the table of package product, and a file with the functions.
var kinds = map[string]kind{
	"go":         indexed(goPrograms, (*checker).goImage, (*maker).goImage),
	"dockerfile": indexed(dockerPrograms, (*checker).dockerImage, (*maker).dockerImage),
	"lifecycle":  {lifecyclePrograms, (*checker).lifecycle, (*maker).lifecycle, lifecycleSystems()},
	"prebuilt":   indexed(noPrograms, nil, nil), // every platform is
}

type kind struct {
	// programs lists the programs that an image may contain, each with the platforms to compile
	// it for.
	programs func(*product.Product, product.Image) []wanted
	// check finds mistakes in an image without a compiler.
	check func(*checker, context.Context, product.Image) finding
	// build puts the image into the store.
	build func(*maker, context.Context, product.Image) (built.Image, error)
	// systems are the operating systems that one manifest serves; nil if the image is an index
	// with a manifest per platform.
	systems []string
}

// wanted is a program and the platforms that it is compiled for.
type wanted struct {
	program product.Program
	on      []platform.Platform
}

// indexed is a kind whose images are an index with a manifest per platform; check and compose
// work on one platform. Those of platforms that are prebuilt are taken as they are.
func indexed(
	programs func(*product.Product, product.Image) []string,
	check func(*checker, context.Context, product.Image, platform.Platform) finding,
	compose func(*maker, context.Context, product.Image, platform.Platform) (content, error),
) kind {
	return kind{
		programs: func(p *product.Product, i product.Image) []wanted {
			var all []wanted
			for _, name := range programs(p, i) {
				all = append(all, wanted{p.Program(name), i.Built()})
			}
			return all
		},
		check: func(c *checker, ctx context.Context, i product.Image) finding {
			return checkPlatforms(i, func(p platform.Platform) finding {
				if t, ok := i.PrebuiltOn(p); ok {
					return c.taken(ctx, t)
				}
				if builderOf(i, p) != "" {
					return c.delegated(ctx, i, p)
				}
				return check(c, ctx, i, p)
			})
		},
		build: func(m *maker, ctx context.Context, i product.Image) (built.Image, error) {
			return m.index(i, func(p platform.Platform) (child, error) {
				if t, ok := i.PrebuiltOn(p); ok {
					return m.take(ctx, i, t)
				}
				if builderOf(i, p) != "" {
					return m.delegate(ctx, i, p)
				}
				c, err := compose(m, ctx, i, p)
				if err != nil {
					return child{}, err
				}
				return m.write(i, c)
			})
		},
	}
}

func noPrograms(*product.Product, product.Image) []string { return nil }

func goPrograms(_ *product.Product, i product.Image) []string {
	return []string{i.Content.(*product.GoImage).Program}
}

// dockerPrograms names the programs that an image may copy.
func dockerPrograms(p *product.Product, i product.Image) []string {
	d := i.Content.(*product.DockerfileImage)
	if named := d.Programs; len(named) > 0 || len(d.Outputs) > 0 {
		named = append(slices.Clone(named), slices.Sorted(maps.Values(d.Outputs))...)
		slices.Sort(named)
		return slices.Compact(named)
	}
	var all []string
	for _, d := range p.Programs {
		all = append(all, d.Name)
	}
	return all
}

func lifecyclePrograms(_ *product.Product, i product.Image) []wanted {
	var all []wanted
	for _, p := range lifecycle.Programs {
		source := i.Content.(*product.LifecycleImage).Source
		all = append(all, wanted{
			product.Program{Name: lifecycleProgram(i, p.Name), Source: source, Package: p.Package},
			lifecycle.Systems,
		})
	}
	return all
}

// lifecycleProgram names a program of a lifecycle image among all programs; the slash keeps it
// apart from those of slipway.yaml.
func lifecycleProgram(i product.Image, name string) string { return i.Name + "/" + name }

func lifecycleSystems() []string {
	var all []string
	for _, p := range lifecycle.Systems {
		all = append(all, p.OS)
	}
	return all
}
