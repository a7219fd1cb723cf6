package transfer

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Current is what a tag names, or is to name.
type Current struct {
	Digest v1.Hash // zero if the tag does not exist
	imagetag.Stamp
}

// Current asks the registry what a tag names. The version and the time are those of the
// annotations of the image, or else of its first manifest, or else of the labels in the
// configuration of that. A document that the registry lacks or that is malformed states nothing.
func (c *Client) Current(ctx context.Context, ref name.Tag) (Current, error) {
	top, err := c.Get(ctx, ref)
	now := Current{}
	if outcome.Of(err) == outcome.There {
		now.Digest = top.Digest
		err = c.stamp(ctx, ref.Context(), &now.Stamp, top.Descriptor, top.Manifest)
	}
	switch outcome.Of(err) {
	case outcome.There, outcome.Absent:
		return now, nil
	case outcome.Broken, outcome.Unread, outcome.Unasked:
	}
	return Current{}, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
}

// stamp completes s with what a document states.
func (c *Client) stamp(ctx context.Context, repo name.Repository, s *imagetag.Stamp, d v1.Descriptor,
	raw []byte,
) error {
	t, err := oci.Parse(v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}, raw)
	if err != nil {
		return nil //nolint:nilerr // a third-party artifact, of any kind
	}
	if s.Take(t.Annotations) {
		return nil
	}
	if at := slices.IndexFunc(t.Children, func(c *oci.Tree) bool { return !oci.IsAttestation(c.Desc) }); at >= 0 {
		child := t.Children[at].Desc
		if child.MediaType.IsIndex() {
			return nil
		}
		got, err := c.Get(ctx, repo.Digest(child.Digest.String()))
		if err != nil {
			return err
		}
		return c.stamp(ctx, repo, s, child, got.Manifest)
	}
	if t.Config == nil {
		return nil
	}
	var failed error // to read, other than to understand
	config, err := t.ReadConfig(func(d v1.Descriptor) (raw []byte, err error) {
		raw, failed = c.Configs(ctx, repo)(d)
		return raw, failed
	})
	if err != nil {
		return failed
	}
	s.Take(config.Config.Labels)
	return nil
}

// StampOf returns what the annotations of an image state.
func StampOf(t *oci.Tree) (s imagetag.Stamp) {
	s.Take(t.Annotations)
	return s
}
