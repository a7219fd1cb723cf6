package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Platforms asks registries for which platforms images are made. The result is by reference, each list sorted; an image that its registry
// does not have is missing from it. What a registry sends is held against the digest, as everywhere.
func Platforms(ctx context.Context, refs []name.Digest, o Options) (map[string][]v1.Platform, error) {
	o = o.defaults()
	c := newClient(o, nil)
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
		case missing(err):
			return nil
		case err != nil:
			return fmt.Errorf("looking at %s: %w", refs[n], clean(err))
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

// platforms reads every manifest of an image, which are there then; one that is a single manifest of a single manifest has its platform in its configuration.
func (c *client) platforms(ctx context.Context, ref name.Digest) ([]v1.Platform, error) {
	s, err := c.session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		return nil, err
	}
	root, err := walk(v1.Descriptor{Digest: h}, func(d v1.Descriptor) (raw []byte, err error) {
		err = c.o.retry(ctx, func() error {
			var got *remote.Descriptor
			if got, err = s.puller.Get(ctx, ref.Context().Digest(d.Digest.String())); err == nil {
				raw = got.Manifest
			}
			return err
		})
		return raw, err
	}, maxDepth)
	if err != nil {
		return nil, err
	}
	if len(root.blobs) > 0 {
		cf, err := c.configuration(ctx, s, ref.Context().Digest(root.blobs[0].Digest.String()))
		if err != nil {
			return nil, err
		}
		root.desc.Platform = cf.Platform()
	}
	return root.platforms(), nil
}

// configuration reads an image configuration, which is at most as large as a manifest may be.
func (c *client) configuration(ctx context.Context, s *session, ref name.Digest) (*v1.ConfigFile, error) {
	l, err := s.puller.Layer(ctx, ref)
	if err != nil {
		return nil, err
	}
	r, err := l.Compressed()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err != nil {
		return nil, err
	}
	cf := &v1.ConfigFile{}
	if err := json.Unmarshal(raw, cf); err != nil {
		return nil, fmt.Errorf("reading configuration %s: %w", ref.DigestStr(), err)
	}
	return cf, nil
}
