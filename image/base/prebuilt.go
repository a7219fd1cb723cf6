package base

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// ErrElsewhere is about an image that only a registry has, which may not be asked.
var ErrElsewhere = errors.New("it is not in the store")

// Prebuilt returns an image of a registry that a release takes as it is, for platform p, from the
// store or else the registry, also in a snapshot: a stub would be another image. A resolver that is
// offline asks the store alone, and fails with [ErrElsewhere]. [Resolver.Complete] fetches layers
// that are not in the store.
func (r *Resolver) Prebuilt(ctx context.Context, ref name.Reference, p platform.Platform) (Base, error) {
	return r.found.Do(ref.String()+" "+p.String()+" prebuilt", func() (Base, error) {
		i := product.BaseImage{Platform: p, Reference: ref, Inline: true}
		repo := ref.Context()
		b, err := r.take(ctx, i, false, reader{r.remember(repo, r.here), r.remember(repo, r.here)})
		if errors.Is(err, ErrElsewhere) && r.Shipped == nil && !r.Offline {
			b, err = r.take(ctx, i, false, r.reader(ctx, repo))
		}
		if err == nil && !p.Takes(b.Platform) {
			err = fmt.Errorf("%s: %w", ref, another(b.Platform, p))
		}
		return b, err
	})
}

// here reads a document that the store has.
func (r *Resolver) here(d v1.Descriptor) ([]byte, error) {
	raw, err := r.Store.Get(d)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrElsewhere
	}
	return raw, err
}

// Complete fetches the layers of an image that the store lacks.
func (r *Resolver) Complete(ctx context.Context, b Base) error {
	l, ok := b.Image.(*lazy)
	if !ok {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(4)
	for _, one := range l.layers {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return one.bring()
		})
	}
	return g.Wait()
}

// Pinned returns the image of a name for platform p, and what a builder calls it: "docker-image://"
// and a reference with its digest, or "oci-layout://" and an image in the store. A name without a
// digest is an error, also in a snapshot: the builder has the network, and makes a real image.
// Pinned asks no registry.
func (r *Resolver) Pinned(ctx context.Context, image string, p platform.Platform) (Info, string, error) {
	if n := slices.IndexFunc(r.Bases, func(b product.Base) bool { return b.Name == image }); n >= 0 {
		return r.pinnedBase(ctx, r.Bases[n], p)
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return Info{}, "", fmt.Errorf("%s is neither a base of %s nor an image reference: %w", image, r.File, err)
	}
	if b, ok := r.replaced(ref); ok {
		return r.pinnedBase(ctx, b, p)
	}
	if _, i, ok := r.named(ref, p); ok {
		return asImage(i.Reference)
	}
	return asImage(r.referenced(ref, p).Reference)
}

// pinnedBase returns a base of slipway.yaml.
func (r *Resolver) pinnedBase(ctx context.Context, b product.Base, p platform.Platform) (Info, string, error) {
	for _, i := range b.Images {
		if platform.Same(i.Platform, p) {
			return asImage(i.Reference)
		}
	}
	got, err := r.Resolve(ctx, b.Name, p)
	if err != nil {
		return Info{}, "", err
	}
	if got.Info == nil {
		return Info{}, "", fmt.Errorf("base %s is empty: write FROM scratch", b.Name)
	}
	return *got.Info, "oci-layout://" + r.Store.Dir() + "@" + got.Info.Digest.String(), nil
}

// asImage returns an image of a registry. Its digest is that of the reference, which no registry is
// asked about.
func asImage(ref name.Reference) (Info, string, error) {
	if err := pinned(ref); err != nil {
		return Info{}, "", err
	}
	h, err := v1.NewHash(ref.Identifier())
	return Info{Name: ref.String(), Digest: h}, "docker-image://" + ref.Name(), err
}
