package build

import (
	"context"
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
