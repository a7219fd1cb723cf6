package base

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// fetch brings the child for the platform of a base in a registry into the store, byte for byte; its layers only once they are read.
func (r *Resolver) fetch(ctx context.Context, b product.BaseImage, anyBuild bool) (Base, error) {
	ref := b.Reference
	if err := r.unmoved(ctx, b); err != nil {
		return Base{}, err
	}
	desc, err := r.Client.Get(ctx, ref)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, transfer.Clean(err))
	}
	img, got, err := choose(ctx, r.Client, desc, b.Platform, anyBuild)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	if b.Lock != nil && b.Lock.OSVersion != "" && b.Lock.OSVersion != got.OSVersion {
		return Base{}, fmt.Errorf("%s has the os.version %s, and %s says %s: run %s", ref, got.OSVersion, b.Lock.Pos, b.Lock.OSVersion, howto.Run("bases"))
	}
	d, err := img.Digest()
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	if anyBuild {
		got = full(b.Platform)
	}
	local, err := r.begin(ctx, ref.Context(), img)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	return Base{Image: local, Platform: got, Info: &lock.Base{Name: ref.String(), Digest: d}}, nil
}

// unmoved holds a base that bases.lock.yaml pins to its tag: a newer one has the fixes that a release should go out with.
func (r *Resolver) unmoved(ctx context.Context, b product.BaseImage) error {
	if b.Lock == nil || b.Inline || b.Tag == "" {
		return nil
	}
	tag := b.Reference.Context().Tag(b.Tag)
	head, err := r.Client.Head(ctx, tag)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", tag, transfer.Clean(err))
	}
	if head.Digest != b.Lock.Digest {
		return fmt.Errorf("%s has moved to %s, and %s has %s: run %s to take the new one, or write %s@%s into slipway.yaml to stay with the old one",
			b.Lock.Reference, head.Digest, b.Lock.Pos, b.Lock.Digest, howto.Run("bases"), b.Lock.Reference, b.Lock.Digest)
	}
	return nil
}
