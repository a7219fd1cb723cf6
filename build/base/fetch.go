package base

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

// fetch brings the child for the platform of a base in a registry into the store, byte for byte;
// its layers only once they are read.
func (r *Resolver) fetch(ctx context.Context, b product.BaseImage, anyBuild bool) (Base, error) {
	ref := b.Reference
	if why := r.moved(ctx, b); why != "" {
		r.Progress.Printf("warning: %s", why)
	}
	desc, err := r.Client.Get(ctx, ref)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, network.Clean(err))
	}
	img, err := choose(ctx, r.Client, ref.Context(), desc, b.Platform, anyBuild)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	got := img.platform
	if b.Lock != nil && b.Lock.OSVersion != "" && b.Lock.OSVersion != got.OSVersion {
		return Base{}, fmt.Errorf("%s has the os.version %s, and %s has %s: run %s", ref, got.OSVersion, b.Lock.Pos, b.Lock.OSVersion, howto.Run("bases -update"))
	}
	if anyBuild {
		got = full(b.Platform)
	}
	local, err := r.begin(ctx, ref.Context(), img)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	return Base{Image: local, Platform: got, Info: &Info{Name: ref.String(), Digest: img.manifest.Desc.Digest}}, nil
}

// moved returns a warning if the tag of a base that bases.lock.yaml pins has moved:
// a newer base has fixes. The lock decides all the same, so neither that nor a tag that cannot be
// looked at stops a release.
func (r *Resolver) moved(ctx context.Context, b product.BaseImage) string {
	if b.Lock == nil || b.Inline || b.Tag == "" {
		return ""
	}
	tag := b.Reference.Context().Tag(b.Tag)
	head, err := r.Client.Head(ctx, tag)
	if err != nil {
		return fmt.Sprintf("whether %s has moved since it was locked is not known: %v", tag, network.Clean(err))
	}
	if head.Digest != b.Lock.Digest {
		return fmt.Sprintf("%s has moved to %s; this release is built on %s of %s: run %s to take the new one",
			b.Lock.Reference, head.Digest, b.Lock.Digest, b.Lock.Pos, howto.Run("bases -update"))
	}
	return ""
}
