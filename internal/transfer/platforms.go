package transfer

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/platform"
)

// Platforms asks registries for the platforms of images. The result is by reference, each list
// sorted; an image that its registry does not have is missing from it. What a registry sends is
// compared with the digest, as everywhere.
func (c *Client) Platforms(ctx context.Context, refs []name.Digest) (map[string][]platform.Platform, error) {
	trees, err := c.Trees(ctx, refs)
	all := map[string][]platform.Platform{}
	for ref, t := range trees {
		all[ref] = t.Platforms()
	}
	return all, err
}

// Trees asks registries for every manifest of images, so that an incomplete one counts as missing.
// The result is by reference, as that of [Client.Platforms]. An image of a single manifest gets the
// platform of its configuration.
func (c *Client) Trees(ctx context.Context, refs []name.Digest) (map[string]*oci.Tree, error) {
	found := make([]*oci.Tree, len(refs))
	err := each(ctx, c.o.Jobs, refs, func(ctx context.Context, n int, ref name.Digest) error {
		t, err := c.tree(ctx, ref)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch outcome.Of(err) {
		case outcome.There:
			found[n] = t
		case outcome.Absent:
		case outcome.Broken, outcome.Unread, outcome.Unasked:
			return fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string]*oci.Tree{}
	for n, ref := range refs {
		if found[n] != nil {
			all[ref.String()] = found[n]
		}
	}
	return all, nil
}

func (c *Client) tree(ctx context.Context, ref name.Digest) (*oci.Tree, error) {
	repo := ref.Context()
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		return nil, err
	}
	t, err := oci.Read(v1.Descriptor{Digest: h}, c.Manifests(ctx, repo), oci.Limits{})
	if err != nil {
		return nil, err
	}
	_, err = t.ReadPlatforms(c.Configs(ctx, repo))
	return t, err
}
