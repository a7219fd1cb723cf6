package transfer

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Trees asks registries for every manifest of images, so that an incomplete one counts as missing.
// The result is by reference; an image that its registry does not have is missing from it. What a
// registry sends is compared with the digest, as everywhere. An image of a single manifest gets the
// platform of its configuration.
func (c *Client) Trees(ctx context.Context, refs []name.Reference) (map[string]*oci.Tree, error) {
	found := make([]*oci.Tree, len(refs))
	err := each(ctx, c.o.Jobs, refs, func(ctx context.Context, n int, ref name.Reference) error {
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

func (c *Client) tree(ctx context.Context, ref name.Reference) (*oci.Tree, error) {
	repo := ref.Context()
	top, err := c.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	get := network.Listed(c.Manifests(ctx, repo))
	t, err := oci.Read(v1.Descriptor{Digest: top.Digest}, func(d v1.Descriptor) ([]byte, error) {
		if d.Digest == top.Digest {
			return top.Manifest, nil
		}
		return get(d)
	}, oci.Limits{})
	if err != nil {
		return nil, err
	}
	_, err = t.ReadPlatforms(network.Listed(c.Configs(ctx, repo)))
	return t, err
}
