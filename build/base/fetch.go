package base

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/progress"
	"github.com/slipway-dev/slipway/store"
)

// fetch brings the child for the platform of a base in a registry into the store, byte for byte; its layers only once they are read.
func fetch(ctx context.Context, st *store.Store, pr *progress.Printer, b product.BaseImage, anyBuild bool) (Base, error) {
	ref := b.Reference
	if err := unmoved(ctx, b); err != nil {
		return Base{}, err
	}
	desc, err := get(ctx, ref)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	img, got, err := choose(desc, b.Platform, anyBuild)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	if b.Lock != nil && b.Lock.OSVersion != "" && b.Lock.OSVersion != got.OSVersion {
		return Base{}, fmt.Errorf("%s has the os.version %s, and %s says %s: run go tool mage bases", ref, got.OSVersion, b.Lock.Pos, b.Lock.OSVersion)
	}
	d, err := img.Digest()
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	if anyBuild {
		got = full(b.Platform)
	}
	local, err := begin(ctx, st, pr, img)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	return Base{Image: local, Platform: got, Info: &lock.Base{Name: ref.String(), Digest: d}}, nil
}

func get(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	return remote.Get(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
}

// unmoved holds a base that bases.lock.yaml pins to its tag: a newer one has the fixes that a release should go out with.
func unmoved(ctx context.Context, b product.BaseImage) error {
	if b.Lock == nil || b.Inline || b.Tag == "" {
		return nil
	}
	tag := b.Reference.Context().Tag(b.Tag)
	head, err := remote.Head(tag, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return fmt.Errorf("looking at %s: %w", tag, err)
	}
	if head.Digest != b.Lock.Digest {
		return fmt.Errorf("%s has moved to %s, and %s has %s: run go tool mage bases to take the new one, or write %s@%s into slipway.yaml to stay with the old one",
			b.Lock.Reference, head.Digest, b.Lock.Pos, b.Lock.Digest, b.Lock.Reference, b.Lock.Digest)
	}
	return nil
}
