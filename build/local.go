package build

import (
	"context"
	"errors"
	"slices"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/product"
)

// evaluated evaluates a Dockerfile. In a snapshot, one that installs packages is on its real bases
// if these and all packages are in the store; else, as others are, on stubs and without packages.
func (b *Builder) evaluated(ctx context.Context, i product.Image, in dockerfile.Input) (dockerfile.Result, error) {
	if b.product.Snapshot() && b.installable(i) {
		local := in
		local.Base, local.Packages, local.Snapshot = b.bases.Local, b.packages(i, b.bases.Shipped == nil), false
		r, err := dockerfile.Build(ctx, local)
		if absent := (packages.AbsentError{}); !errors.Is(err, base.ErrElsewhere) && !errors.As(err, &absent) {
			return r, err
		}
	}
	return dockerfile.Build(ctx, in)
}

// installable reports whether packages.lock.yaml has packages for an image, and the store all that
// the product installs: a snapshot has all packages or none. One that is rebuilt gets them from
// their archives, for those images whose bases are in its statement.
func (b *Builder) installable(i product.Image) bool {
	if b.pin != nil || b.asked != nil || b.bases.Offline {
		return false
	}
	if b.bases.Shipped == nil && slices.ContainsFunc(fetchedPackages(b.product), func(l product.LockedPackage) bool {
		return !b.store.Has(l.SHA256)
	}) {
		return false
	}
	return slices.ContainsFunc(b.product.LockedPackages, func(e product.LockedPackages) bool {
		return e.Image == i.Name
	})
}
