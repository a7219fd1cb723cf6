package publish

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Pull brings everything that a lock names into st, from the registries where it lies: what
// another machine has built and published can then be packed or served here. What st has already
// is not fetched. A snapshot has no registry to pull from.
func Pull(ctx context.Context, st *store.Store, l *lock.Lock, o Options) error {
	if l.Snapshot {
		return fmt.Errorf("pulling %s %s: it is a snapshot, which no registry has: build it here", l.Name, l.Version)
	}
	var list []*wanted
	want := func(reference string, digest v1.Hash) error {
		ref, err := name.ParseReference(reference)
		if err != nil {
			return fmt.Errorf("pulling %s: %w", reference, err)
		}
		at := ref.Context().Digest(digest.String())
		if _, here, err := pinned(st, at); err != nil || here {
			return err
		}
		list = append(list, &wanted{ref: at, text: reference})
		return nil
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			if err := want(i.Repository, c.Digest); err != nil {
				return err
			}
		}
		if len(l.Partial) == 0 {
			if err := want(i.Tagged(), i.Digest); err != nil {
				return err
			}
		}
		for _, r := range i.Referrers {
			if err := want(i.Repository, r.Digest); err != nil {
				return err
			}
		}
	}
	for _, t := range l.ThirdParty {
		if t.LeftOut == "" {
			if err := want(t.Reference, t.Digest); err != nil {
				return err
			}
		}
		for _, r := range t.Referrers {
			if err := want(t.Reference, r.Digest); err != nil {
				return err
			}
		}
	}
	return fetchAll(ctx, newClient(o.Defaults()), st, list)
}
