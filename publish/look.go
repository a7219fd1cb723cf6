package publish

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	"github.com/slipway-dev/slipway/internal/network"
)

// look asks the registry for every name, and marks the images it has. A tag that stands for
// something else is an error: whoever pulls by tag must never get two different releases under
// one version. Only cosign's tags may move. A partial release has no tags, so its digests are
// asked for.
func look(ctx context.Context, c *client, p *plan, o Options) error {
	return each(ctx, o.Jobs, p.images, func(ctx context.Context, i *image) error {
		done := true
		if i.Top.Raw != nil {
			have, err := c.Head(ctx, i.Ref)
			switch {
			case network.Missing(err):
				done = false
			case err != nil:
				return fmt.Errorf("looking at %s: %w", i.Ref, network.Clean(err))
			case have.Digest != i.Top.Descriptor.Digest && i.grows():
				return c.grown(ctx, i, have)
			case have.Digest != i.Top.Descriptor.Digest:
				return p.conflict(i, have.Digest)
			}
		}
		if done && (p.deep || i.Top.Raw == nil) {
			for _, m := range i.Children {
				there, err := c.has(ctx, i.repo, m.Descriptor.Digest)
				if err != nil {
					return err
				}
				i.there[m.Descriptor.Digest] = there
				done = done && there
			}
		}
		for _, d := range i.Missing {
			there, err := c.has(ctx, i.repo, d.Digest)
			if err != nil {
				return err
			}
			if !there {
				i.lacking = append(i.lacking, d)
			}
		}
		i.done = done
		return nil
	})
}

// has reports whether the repository has a manifest.
func (c *client) has(ctx context.Context, repo name.Repository, h v1.Hash) (bool, error) {
	ref := repo.Digest(h.String())
	_, err := c.Head(ctx, ref)
	switch {
	case network.Missing(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	return true, nil
}

// locate puts a repository that has the blob in front of those that it goes to, where there is
// one: the others mount it from there.
func (c *client) locate(ctx context.Context, u *upload) error {
	for n, repo := range u.repos {
		s, err := c.Session(ctx, repo)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", repo, err)
		}
		l, err := s.Layer(ctx, u.desc.Digest)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", repo, network.Clean(err))
		}
		there, err := partial.Exists(l)
		if err != nil && !network.Missing(err) {
			return fmt.Errorf("looking for blob %s in %s: %w", u.desc.Digest, repo, network.Clean(err))
		}
		if there {
			u.repos[0], u.repos[n] = u.repos[n], u.repos[0]
			return nil
		}
	}
	return nil
}
