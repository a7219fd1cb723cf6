package base

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Pinned returns the image of a name for platform p, and what a builder calls it: "docker-image://"
// and a reference with its digest, or "oci-layout://" and an image in the store. A name without a
// digest is an error, in a snapshot, too: the builder has the network, and the image that it makes
// is no stub. No registry is asked.
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
	i := product.BaseImage{Platform: p, Reference: ref}
	if r.Referenced != nil {
		i = r.Referenced(ref, p, yamlfile.Pos{})
	}
	if i.Lock != nil {
		i.Reference = ref.Context().Digest(i.Lock.Digest.String())
	}
	return asImage(i.Reference)
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
