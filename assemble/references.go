package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// References returns the images that the product's Dockerfiles name and no base of slipway.yaml
// is, once for each platform, at the first place that names them. It asks no registry. The error
// is that of Dockerfiles which could not be evaluated to their end, so that they may name more.
func (b *Builder) References(ctx context.Context) ([]product.BaseImage, error) {
	b.bases.Snapshot, b.bases.Offline = true, true
	var list []product.BaseImage
	err := b.evaluateAll(ctx, func(r containerfile.Result) {
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
func (b *Builder) evaluateAll(ctx context.Context, each func(containerfile.Result)) error {
	var errs []error
	for _, i := range b.product.Images {
		if _, ok := i.Content.(*product.DockerfileImage); !ok {
			continue
		}
		for _, p := range i.Platforms {
			if _, prebuilt := i.PrebuiltOn(p); prebuilt {
				continue
			}
			evaluate := b.outline
			if builderOf(i, p) != "" {
				evaluate = b.named
			}
			r, err := evaluate(ctx, i, p)
			if err != nil {
				errs = append(errs, fmt.Errorf("image %s: %s: %w", i.Name, p.String(), err))
			}
			each(r)
		}
	}
	return errors.Join(errs...)
}

// outline evaluates a Dockerfile without programs.
func (b *Builder) outline(ctx context.Context, i product.Image, p platform.Platform) (containerfile.Result, error) {
	programs, err := b.binaries(i, p, func(string) (containerfile.File, error) { return containerfile.File{}, nil })
	if err != nil {
		return containerfile.Result{}, err
	}
	return b.evaluate(ctx, i, p, programs, true)
}

// named returns the images that a Dockerfile for a builder names.
func (b *Builder) named(ctx context.Context, i product.Image, p platform.Platform) (r containerfile.Result, err error) {
	_, images, err := b.readDelegated(i, p)
	for _, n := range images {
		of, err := b.bases.Resolve(ctx, n.Name, n.Platform)
		if err != nil {
			return r, fmt.Errorf("%s: %w", n.Pos, err)
		}
		if of.Reference != nil {
			named := containerfile.Reference{Reference: of.Reference, Platform: n.Platform, Pos: n.Pos}
			r.References = append(r.References, named)
		}
	}
	return r, err
}
