package build

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Check finds what would stop the build, as far as that can be known without a compiler: main
// packages that do not exist, every error in a Dockerfile and what it copies, bases, and what
// the product has left open. With a registry bases are asked for, unless [Builder.Offline] was
// called. All errors are reported. demands are those of a release to a registry that a snapshot
// goes without, one line each. What may be a mistake is a warning: see [Builder.WarnIn].
//
// What takes the bytes of programs, or of an image that is not in the store, is found by
// [Builder.Images].
func (b *Builder) Check(ctx context.Context) (demands []string, err error) {
	demands = slices.Clone(b.product.Demands)
	var errs []error
	if !b.product.Snapshot() && len(demands) > 0 {
		b.bases.Offline = true // what is asked for is not known, and nothing will be built
		for _, d := range demands {
			errs = append(errs, errors.New(d))
		}
	}
	errs = append(errs, b.checkPackages(), b.checkArtifacts(), b.readPrebuilt(ctx, nil))
	found := make([]finding, len(b.product.Images))
	var g errgroup.Group
	for n, i := range b.product.Images {
		g.Go(func() error {
			found[n] = kinds[i.Kind].check(b, ctx, i)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.found = found
	if all, err := b.Programs(); err == nil { // checkPackages has reported the error
		b.tellWorkspaces(all)
	}
	for n, f := range found {
		b.warn(b.product.Images[n], f.notes)
		for _, d := range f.demands {
			if s := d.Error(); !slices.Contains(demands, s) {
				demands = append(demands, s)
			}
		}
		for _, err := range f.errs {
			errs = append(errs, fmt.Errorf("building image %s: %w", b.product.Images[n].Name, err))
		}
	}
	return demands, errors.Join(errs...)
}

// Offline lets the builder ask no registry, for checks.
func (b *Builder) Offline() { b.bases.Offline = true }

// finding is what was found out about an image or one of its platforms.
type finding struct {
	demands, errs []error
	builds        []dockerfile.GoBuild // of Dockerfiles
	notes         [][]string           // what cannot be checked or may be a mistake, by platform
	// on are the images that it uses: one element for a platform, one per platform for an image.
	on []used
}

func (b *Builder) checkPackages() error {
	all, err := Programs(b.product, b.trees)
	errs := []error{err}
	for _, p := range all {
		errs = append(errs, p.Check())
	}
	return output.JoinOnce(errs...) // a program is checked for each platform
}

// checkPlatforms checks an image for all its platforms. An error that several have is reported
// once, with the first of them.
func checkPlatforms(i product.Image, check func(platform.Platform) finding) finding {
	found := make([]finding, len(i.Platforms))
	var g errgroup.Group
	for n, p := range i.Platforms {
		g.Go(func() error {
			found[n] = check(p)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // as in Check
	var all finding
	first := output.Once()
	for n, f := range found {
		all.demands = append(all.demands, f.demands...)
		all.builds = append(all.builds, f.builds...)
		all.on = append(all.on, append(f.on, used{})[0])
		all.notes = append(all.notes, slices.Concat(f.notes...))
		for _, err := range f.errs {
			if first(err) {
				all.errs = append(all.errs, fmt.Errorf("%s: %w", i.Platforms[n].String(), err))
			}
		}
	}
	return all
}
