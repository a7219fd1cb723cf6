package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
)

// relist marks referrers that the registry has but does not list. Where a registry cannot list
// referrers, the client keeps the list, which it writes after the manifest: a push that is killed
// in between leaves a referrer that nobody finds. It is put once more, with the list.
func relist(ctx context.Context, c *client, p *plan, o Options) error {
	about := map[name.Digest][]*image{}
	var subjects []name.Digest
	for _, i := range p.images {
		if _, tagged := i.Ref.(name.Tag); !i.Referrer || !i.done || tagged {
			continue
		}
		var m struct {
			Subject *v1.Descriptor `json:"subject"`
		}
		if err := json.Unmarshal(i.Top.Raw, &m); err != nil {
			return fmt.Errorf("reading manifest %s: %w", i.Top.Descriptor.Digest, err)
		}
		if m.Subject == nil {
			continue
		}
		subject := i.repo.Digest(m.Subject.Digest.String())
		if about[subject] == nil {
			subjects = append(subjects, subject)
		}
		about[subject] = append(about[subject], i)
	}
	return each(ctx, o.Jobs, subjects, func(ctx context.Context, subject name.Digest) error {
		list, err := c.referrers(ctx, subject)
		if err != nil {
			return fmt.Errorf("looking for what refers to %s: %w", subject, network.Clean(err))
		}
		for _, i := range about[subject] {
			i.done = slices.ContainsFunc(list, func(d v1.Descriptor) bool { return d.Digest == i.Top.Descriptor.Digest })
		}
		return nil
	})
}

// referrers are what has a manifest as its subject.
func (c *client) referrers(ctx context.Context, subject name.Digest) ([]v1.Descriptor, error) {
	repo := subject.Context()
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Referrers(ctx, subject)
}
