package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/apt"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
)

// packages returns what carries out the commands of package managers in the Dockerfile of an image.
// It asks an archive unless offline.
func (b *Builder) packages(i product.Image, offline bool) packages.Manager {
	m := &apt.Manager{
		Image: i.Name, Locked: b.product.LockedPackages, Packages: b.product.Packages, Pin: b.pin,
		Store: b.store, Client: b.client, Snapshot: offline,
	}
	if b.asked != nil {
		return witness{m, b.asked}
	}
	return m
}

// witness notes that a command of a package manager was met.
type witness struct {
	packages.Manager

	met *atomic.Bool
}

func (w witness) Check(args []string) error {
	w.met.Store(true)
	return w.Manager.Check(args)
}

// InstallsPackages reports whether a base of the product consists of packages, or a Dockerfile has
// commands of package managers, as far as that can be known without its bases. It asks no registry.
func (b *Builder) InstallsPackages(ctx context.Context) (bool, error) {
	if slices.ContainsFunc(b.product.Bases, func(o product.Base) bool { return o.Packages != nil }) {
		return true, nil
	}
	b.bases.Snapshot, b.bases.Offline, b.asked = true, true, &atomic.Bool{}
	err := b.evaluateAll(ctx, func(dockerfile.Result) {})
	return b.asked.Load(), err
}

// Packages makes the bases that consist of packages, and evaluates the Dockerfiles of the product
// as far as no program is needed, so that pin decides which packages they have. The other bases are
// read from their registries. Every failure is reported.
func (b *Builder) Packages(ctx context.Context, pin *apt.Pin) error {
	b.pin, b.bases.Snapshot = pin, false
	var errs []error
	for _, i := range b.product.Images {
		for _, p := range i.Platforms {
			if of, ok := b.product.Base(i.Bases[p.OS]); ok && of.Packages != nil {
				_, err := b.bases.Resolve(ctx, of.Name, p)
				errs = append(errs, err)
			}
		}
	}
	errs = append(errs, b.evaluateAll(ctx, func(dockerfile.Result) {}))
	return output.JoinOnce(errs...)
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
