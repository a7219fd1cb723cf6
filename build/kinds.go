package build

import (
	"context"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// kinds is how images of each kind of slipway.yaml are built. A new kind is an entry here and in
// the table of package product, and a file with the functions.
var kinds = map[string]kind{
	"go":         indexed(goPrograms, (*Builder).checkGoImage, (*Builder).goImage),
	"dockerfile": indexed(dockerPrograms, (*Builder).checkDockerImage, (*Builder).dockerImage),
	"lifecycle":  {lifecyclePrograms, (*Builder).checkLifecycle, (*Builder).lifecycle, lifecycleSystems()},
}

type kind struct {
	// programs lists the programs that an image may contain, each with the platforms to compile
	// it for.
	programs func(*product.Product, product.Image) []wanted
	// check finds what is wrong with an image without a compiler.
	check func(*Builder, context.Context, product.Image) finding
	// build puts the image into the store.
	build func(*Builder, context.Context, product.Image) (built.Image, error)
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
// work on one platform.
func indexed(
	programs func(*product.Product, product.Image) []string,
	check func(*Builder, context.Context, product.Image, platform.Platform) finding,
	compose func(*Builder, context.Context, product.Image, platform.Platform) (content, error),
) kind {
	return kind{
		programs: func(p *product.Product, i product.Image) []wanted {
			var all []wanted
			for _, name := range programs(p, i) {
				all = append(all, wanted{p.Program(name), i.Platforms})
			}
			return all
		},
		check: func(b *Builder, ctx context.Context, i product.Image) finding {
			return checkPlatforms(i, func(p platform.Platform) finding { return check(b, ctx, i, p) })
		},
		build: func(b *Builder, ctx context.Context, i product.Image) (built.Image, error) {
			return b.index(i, func(p platform.Platform) (content, error) { return compose(b, ctx, i, p) })
		},
	}
}
