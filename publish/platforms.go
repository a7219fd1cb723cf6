package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
)

// Platforms asks registries for which platforms images are made. The result is by reference, each
// list sorted; an image that its registry does not have is missing from it. What a registry sends
// is held against the digest, as everywhere.
func Platforms(ctx context.Context, refs []name.Digest, o Options) (map[string][]v1.Platform, error) {
	o = o.Defaults()
	c := newClient(o)
	found := make([][]v1.Platform, len(refs))
	there := make([]bool, len(refs))
	numbers := make([]int, len(refs))
	for n := range numbers {
		numbers[n] = n
	}
	err := each(ctx, o.Jobs, numbers, func(ctx context.Context, n int) (err error) {
		found[n], err = c.platforms(ctx, refs[n])
		switch there[n] = err == nil; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case network.Missing(err):
			return nil
		case err != nil:
			return fmt.Errorf("looking at %s: %w", refs[n], network.Clean(err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]v1.Platform{}
	for n, ref := range refs {
		if there[n] {
			all[ref.String()] = found[n]
		}
	}
	return all, nil
}

// platforms reads every manifest of an image, which are there then; one that is a single manifest
// of a single manifest has its platform in its configuration.
func (c *client) platforms(ctx context.Context, ref name.Digest) ([]v1.Platform, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		return nil, err
	}
	root, err := walk(v1.Descriptor{Digest: h}, func(d v1.Descriptor) ([]byte, error) {
		got, err := s.Get(ctx, ref.Context().Digest(d.Digest.String()))
		if err != nil {
			return nil, err
		}
		return got.Manifest, nil
	}, maxDepth)
	if err != nil {
		return nil, err
	}
	if len(root.blobs) > 0 {
		cf, err := c.configuration(ctx, ref.Context(), root.blobs[0])
		if err != nil {
			return nil, err
		}
		root.desc.Platform = cf.Platform()
	}
	return root.platforms(), nil
}

// configuration reads an image configuration, which is at most as large as a manifest may be.
func (c *client) configuration(ctx context.Context, repo name.Repository, d v1.Descriptor) (*v1.ConfigFile, error) {
	var raw []byte
	err := c.Blob(ctx, repo, d, func(r io.Reader) (err error) {
		raw, err = io.ReadAll(io.LimitReader(r, network.MaxManifest))
		return err
	})
	if err != nil {
		return nil, err
	}
	cf := &v1.ConfigFile{}
	if err := json.Unmarshal(raw, cf); err != nil {
		return nil, fmt.Errorf("reading configuration %s: %w", d.Digest, err)
	}
	return cf, nil
}
