package build

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// References returns the images that the product's Dockerfiles name and no base of slipway.yaml
// is, once for each platform, at the first place that names them. It asks no registry. The error
// is that of Dockerfiles which could not be evaluated to their end, so that they may name more.
func (b *Builder) References(ctx context.Context) ([]product.BaseImage, error) {
	b.bases.Snapshot, b.bases.Offline = true, true
	var list []product.BaseImage
	err := b.evaluateAll(ctx, func(r dockerfile.Result) {
		for _, ref := range r.References {
			found := b.product.Referenced(ref.Reference, ref.Platform, ref.Pos)
			if !slices.ContainsFunc(list, func(o product.BaseImage) bool {
				return o.Reference.Name() == found.Reference.Name() && platform.Same(o.Platform, found.Platform)
			}) {
				list = append(list, found)
			}
		}
	})
	return list, err
}

// evaluateAll checks all Dockerfiles, for every platform. each gets what came of one, also where it
// has errors.
func (b *Builder) evaluateAll(ctx context.Context, each func(dockerfile.Result)) error {
	var errs []error
	for _, i := range b.product.Images {
		if _, ok := i.Content.(*product.DockerfileImage); !ok {
			continue
		}
		for _, p := range i.Platforms {
			if _, prebuilt := i.PrebuiltOn(p); prebuilt {
				continue
			}
			programs, err := b.binaries(i, p, func(string) (dockerfile.File, error) { return dockerfile.File{}, nil })
			if err != nil {
				return err
			}
			r, err := b.evaluate(ctx, i, p, programs, true)
			if err != nil {
				errs = append(errs, fmt.Errorf("image %s: %s: %w", i.Name, p.String(), err))
			}
			each(r)
		}
	}
	return errors.Join(errs...)
}
