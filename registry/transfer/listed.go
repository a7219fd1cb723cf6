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
	done := slices.DeleteFunc(slices.Clone(p.images), func(i *target) bool { return !i.Referrer || !i.done })
	return p.eachSubject(ctx, done, func(ctx context.Context, subject name.Digest, referrers []*target) error {
		list, err := p.listReferrers(ctx, subject)
		if err != nil {
			return fmt.Errorf("looking for the referrers of %s: %w", subject, network.Clean(err))
		}
		for _, i := range referrers {
			i.done = i.in(list)
		}
		return nil
	})
}

// eachSubject calls f for each document that some referrers, those without a tag, refer to.
func (p *push) eachSubject(ctx context.Context, all []*target,
	f func(context.Context, name.Digest, []*target) error,
) error {
	referrers := map[name.Digest][]*target{}
	var subjects []name.Digest
	for _, i := range all {
		if _, tagged := i.Ref.(name.Tag); tagged || i.Tree.Subject == nil {
			continue
		}
		subject := i.repo.Digest(i.Tree.Subject.Digest.String())
		if referrers[subject] == nil {
			subjects = append(subjects, subject)
		}
		referrers[subject] = append(referrers[subject], i)
	}
	return each(ctx, p.o.Jobs, subjects, func(ctx context.Context, _ int, subject name.Digest) error {
		return f(ctx, subject, referrers[subject])
	})
}

// in reports whether a list of referrers has the document.
func (i *target) in(list []v1.Descriptor) bool {
	return slices.ContainsFunc(list, func(d v1.Descriptor) bool { return d.Digest == i.Tree.Desc.Digest })
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
