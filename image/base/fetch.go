package base

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/product"
)

// fetch brings the child for the platform of a base in a registry into the store, byte for byte;
// its layers only once they are read.
func (r *Resolver) fetch(ctx context.Context, b product.BaseImage, anyBuild bool) (Base, error) {
	if why := r.moved(ctx, b); why != "" {
		r.Progress.Printf("warning: %s", why)
	}
	return r.take(ctx, b, anyBuild, r.reader(ctx, b.Reference.Context()))
}

// take puts the documents of a base into the store, which it reads from a reader.
func (r *Resolver) take(ctx context.Context, b product.BaseImage, anyBuild bool, from reader) (Base, error) {
	ref := b.Reference
	h, err := v1.NewHash(ref.Identifier())
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	raw, err := from.manifests(v1.Descriptor{Digest: h})
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, network.Clean(err))
	}
	top, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		return Base{}, err
	}
	if _, err := r.Store.PutBytes(raw); err != nil { // for Local
		return Base{}, err
	}
	img, err := choose(from, top, b.Platform, anyBuild)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	got := img.platform
	if b.Lock != nil && b.Lock.OSVersion != "" && b.Lock.OSVersion != got.OSVersion {
		return Base{}, fmt.Errorf("%s has the os.version %s, and %s has %s: run %s", ref, got.OSVersion,
			b.Lock.Pos, b.Lock.OSVersion, howto.Run("pin bases -update"))
	}
	if anyBuild {
		got = full(b.Platform)
	}
	local, err := r.begin(ctx, ref.Context(), img)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	info := &Info{Name: ref.String(), Digest: img.manifest.Desc.Digest}
	cf, err := local.ConfigFile()
	if err != nil {
		return Base{}, fmt.Errorf("reading the configuration of %s: %w", ref, err)
	}
	if cf.Created.Unix() > 0 { // a reproducible image states 1970
		info.Created = cf.Created.UTC()
	}
	return Base{Image: local, Platform: got, Info: info}, nil
}

// moved returns a warning if the tag of a base that bases.lock.yaml pins has moved:
// a newer base has fixes. The lock decides all the same, so neither that nor a tag that cannot be
// looked at stops a release. A release that is rebuilt is on the base it was on.
func (r *Resolver) moved(ctx context.Context, b product.BaseImage) string {
	if b.Lock == nil || b.Inline || b.Tag == "" || r.Shipped != nil {
		return ""
	}
	tag := b.Reference.Context().Tag(b.Tag)
	head, err := r.Client.Head(ctx, tag)
	if err != nil {
		return fmt.Sprintf("whether %s has moved since it was locked is not known: %v", tag, network.Clean(err))
	}
	if head.Digest != b.Lock.Digest {
		return fmt.Sprintf("%s has moved to %s; this release is built on %s of %s: run %s to take the new one",
			b.Lock.Reference, head.Digest, b.Lock.Digest, b.Lock.Pos, howto.Run("pin bases -update"))
	}
	return ""
}
