package transfer

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
)

// checkListed marks referrers that the registry has but does not list as not done. Where a
// registry cannot list referrers, the client keeps the list, which it writes after the manifest: a
// push that is killed in between leaves a referrer that no client finds. It is put once more,
// with the list.
func (p *push) checkListed(ctx context.Context) error {
	referrers := map[name.Digest][]*target{}
	var subjects []name.Digest
	for _, i := range p.images {
		if _, tagged := i.Ref.(name.Tag); !i.Referrer || !i.done || tagged || i.Tree.Subject == nil {
			continue
		}
		subject := i.repo.Digest(i.Tree.Subject.Digest.String())
		if referrers[subject] == nil {
			subjects = append(subjects, subject)
		}
		referrers[subject] = append(referrers[subject], i)
	}
	return each(ctx, p.o.Jobs, subjects, func(ctx context.Context, _ int, subject name.Digest) error {
		list, err := p.listReferrers(ctx, subject)
		if err != nil {
			return fmt.Errorf("looking for what refers to %s: %w", subject, network.Clean(err))
		}
		for _, i := range referrers[subject] {
			i.done = slices.ContainsFunc(list, func(d v1.Descriptor) bool { return d.Digest == i.Tree.Desc.Digest })
		}
		return nil
	})
}

// listReferrers returns what has a manifest as its subject.
func (c *Client) listReferrers(ctx context.Context, subject name.Digest) ([]v1.Descriptor, error) {
	repo := subject.Context()
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Referrers(ctx, subject)
}
