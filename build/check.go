package build

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/lifecycle"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Check finds what would stop the build, as far as that can be known without a compiler: main
// packages that are not there, every mistake in a Dockerfile and what it copies, bases, and what
// the product has left open. With a registry bases are asked for, unless [Builder.Offline] was
// called. All mistakes are reported. demands are those of a release to a registry that a snapshot
// goes without, one line each.
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
	errs = append(errs, b.checkPrograms())
	found := make([]finding, len(b.product.Images))
	var g errgroup.Group
	for n, i := range b.product.Images {
		g.Go(func() error {
			found[n] = b.checkImage(ctx, i)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for n, f := range found {
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
type finding struct{ demands, errs []error }

func (b *Builder) checkPrograms() error {
	all, err := programs(b.product, b.trees)
	errs := []error{err}
	said := map[string]bool{}
	for _, p := range all {
		if err := p.Check(); err != nil && !said[err.Error()] { // for another platform
			said[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// checkImage checks an image for all its platforms. A mistake that several have is said once,
// with the first of them.
func (b *Builder) checkImage(ctx context.Context, i product.Image) finding {
	if i.Lifecycle != nil {
		return b.checkLifecycle(i)
	}
	check := b.checkGoImage
	if i.Dockerfile != nil {
		check = b.checkDockerImage
	}
	found := make([]finding, len(i.Platforms))
	var g errgroup.Group
	for n, p := range i.Platforms {
		g.Go(func() error {
			found[n] = check(ctx, i, p)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // as in Check
	var all finding
	said := map[string]bool{}
	for n, f := range found {
		all.demands = append(all.demands, f.demands...)
		for _, err := range f.errs {
			if !said[err.Error()] {
				said[err.Error()] = true
				all.errs = append(all.errs, fmt.Errorf("%s: %w", platform.Format(i.Platforms[n]), err))
			}
		}
	}
	return all
}

func (b *Builder) checkLifecycle(i product.Image) (f finding) {
	if tree, ok := b.trees[i.Lifecycle.Source]; ok {
		_, err := lifecycle.ReadMetadata(tree.Dir, i.Lifecycle.Version)
		f.errs = apart(err)
	}
	return f
}

func (b *Builder) checkGoImage(ctx context.Context, i product.Image, p v1.Platform) (f finding) {
	under, err := b.bases.Resolve(ctx, i.Bases[p.OS], p)
	if err == nil {
		_, err = inherit(under)
	}
	f.errs = apart(err)
	prog := b.product.Program(i.Go.Program)
	if tree, ok := b.trees[prog.Source]; ok {
		data, err := kodata(tree.Dir, prog.Package, func(string) (layer.Content, error) { return layer.Content{}, nil })
		if err == nil {
			err = layer.Check(data, p.OS)
		}
		f.errs = append(f.errs, apart(err)...)
	}
	return f
}

// checkDockerImage evaluates the image's Dockerfile with programs of which nothing but the names
// is known.
func (b *Builder) checkDockerImage(ctx context.Context, i product.Image, p v1.Platform) (f finding) {
	programs, err := b.binaries(i, p, func(string) (layer.Content, error) { return layer.Content{}, nil })
	if err != nil {
		return finding{errs: apart(err)}
	}
	r, err := b.evaluate(ctx, i, p, programs, true)
	if err == nil {
		err = b.checkStart(ctx, r, p)
	}
	return finding{r.Demands, apart(err)}
}

// checkStart checks what can be known of the program that an image starts.
func (b *Builder) checkStart(ctx context.Context, r dockerfile.Result, p v1.Platform) error {
	under, err := b.standing(ctx, r.Base, p)
	if err != nil {
		return err
	}
	here, err := under.Here(b.store)
	if err == nil {
		_, err = r.CheckStart(here)
	}
	return err
}

// apart takes joined errors apart, so that each becomes a line with its subject.
func apart(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(joined.Unwrap()...).Error() {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, apart(e)...)
		}
		return all
	}
	return []error{err}
}
