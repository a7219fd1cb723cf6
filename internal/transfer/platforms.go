package transfer

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// Platforms asks registries for the platforms of images. The result is by reference, each list
// sorted; an image that its registry does not have is missing from it. What a registry sends is
// compared with the digest, as everywhere.
func (c *Client) Platforms(ctx context.Context, refs []name.Digest) (map[string][]platform.Platform, error) {
	found := make([][]platform.Platform, len(refs))
	exists := make([]bool, len(refs))
	err := each(ctx, c.o.Jobs, refs, func(ctx context.Context, n int, ref name.Digest) (err error) {
		found[n], err = c.platforms(ctx, ref)
		switch exists[n] = err == nil; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case network.Missing(err):
			return nil
		case err != nil:
			return fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]platform.Platform{}
	for n, ref := range refs {
		if exists[n] {
			all[ref.String()] = found[n]
		}
	}
	return all, nil
}

// platforms reads every manifest of an image, so that an incomplete one counts as missing. An
// image of a single manifest has its platform in its configuration.
func (c *Client) platforms(ctx context.Context, ref name.Digest) ([]platform.Platform, error) {
	repo := ref.Context()
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		return nil, err
	}
	tree, err := oci.Read(v1.Descriptor{Digest: h}, c.Manifests(ctx, repo), oci.Limits{})
	if err != nil {
		return nil, err
	}
	return tree.ReadPlatforms(c.Configs(ctx, repo))
}
