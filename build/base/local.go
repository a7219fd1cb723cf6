package base

import (
	"context"
	"errors"
	"io/fs"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// ErrElsewhere is about a base that is not in the store as a whole.
var ErrElsewhere = errors.New("it is not in the store")

// Local returns a base as Resolve does for a release to a registry, out of the store: no registry
// is asked for it. If the store lacks a document or a layer of it, the error is [ErrElsewhere].
//
// Of a release that is rebuilt, that base is local of which the statement has the documents: the
// release was made on it. Its layers come from where Resolve takes them.
func (r *Resolver) Local(ctx context.Context, name string, p platform.Platform) (Base, error) {
	b, err := r.once(ctx, name, p, "local", r.local)
	if err == nil && b.Info != nil && b.Info.Stub { // its packages are not in the store
		err = ErrElsewhere
	}
	return b, err
}

func (r *Resolver) local(ctx context.Context, i product.BaseImage, anyBuild bool) (Base, error) {
	if pinned(i.Reference) != nil {
		return Base{}, ErrElsewhere
	}
	get := oci.Get(r.Store.Get)
	if r.Shipped != nil {
		get = r.Shipped.Get
	}
	here := func(d v1.Descriptor) ([]byte, error) {
		raw, err := get(d)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, oci.ErrAbsent) {
			err = ErrElsewhere
		}
		return raw, err
	}
	b, err := r.take(ctx, i, anyBuild, reader{here, here})
	if err != nil {
		return Base{}, err
	}
	if all, err := b.Here(r.Store); err != nil || !all && r.Shipped == nil {
		return Base{}, errors.Join(err, ErrElsewhere)
	}
	repo := i.Reference.Context()
	return r.take(ctx, i, anyBuild, reader{r.remember(repo, here), r.remember(repo, here)})
}
