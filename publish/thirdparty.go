package publish

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// ThirdParty fetches the third-party images of p into st, for all platforms, byte for byte. A
// snapshot uses images that st has by their pinned digest, and those of registries on this
// machine; it omits and reports the rest.
func ThirdParty(ctx context.Context, p *product.Product, st *store.Store,
	o network.Options,
) ([]lock.ThirdParty, error) {
	all := make([]lock.ThirdParty, len(p.Airgap.Images))
	about := make([]*transfer.Subject, len(all))
	var fetch []*transfer.Wanted
	for n, t := range p.Airgap.Images {
		all[n] = party(t)
		if t.Omitted != "" {
			continue
		}
		found := func(tree *oci.Tree) error {
			about[n] = &transfer.Subject{Repo: t.Reference.Context(), Name: t.Text, Digests: tree.Digests()}
			return describe(st.Get, &all[n], tree, p.Airgap.Bundles)
		}
		tree, complete, err := transfer.InStore(st, t.Reference)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", t.Text, err)
		case complete:
			if err := found(tree); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Text, err)
			}
		case !p.FetchesFrom(t.Reference.Context().RegistryStr()):
			all[n].Omitted = lock.NoNetwork
			o.Progress.Printf("leaving out %s: %s", t.Text, lock.NoNetwork)
		default:
			fetch = append(fetch,
				&transfer.Wanted{Ref: t.Reference, Name: t.Text, Remedy: "check the line " + t.Pos.String() +
					", or the network and the credentials for " + t.Reference.Context().RegistryStr(), Done: found})
		}
	}
	c := transfer.New(o)
	if len(fetch) > 0 {
		if err := c.Fetch(ctx, st, fetch); err != nil {
			return nil, err
		}
	}
	if err := thirdPartyReferrers(ctx, c, p, st, about); err != nil {
		return nil, err
	}
	for n, s := range about {
		if s != nil {
			all[n].Referrers = s.Referrers
		}
	}
	return all, nil
}

// party is an image in the lock as far as it is known before it is looked at.
func party(t product.ThirdParty) lock.ThirdParty {
	return lock.ThirdParty{
		Reference: t.Text, From: t.From, OS: t.OS, Omitted: t.Omitted, Groups: t.Groups, Listed: t.Listed,
	}
}

// thirdPartyReferrers fetches the referrers of the images into st. A release to a registry asks
// for them anew: referrers published since belong to it, whatever the age of the store. For a
// pinned image in a snapshot, the record in the store is enough, as for the image itself.
func thirdPartyReferrers(ctx context.Context, c *transfer.Client, p *product.Product, st *store.Store,
	about []*transfer.Subject,
) error {
	var ask []*transfer.Subject
	for n, s := range about {
		if s == nil {
			continue
		}
		ref := p.Airgap.Images[n].Reference
		if _, ok := ref.(name.Digest); ok && p.Snapshot() {
			if here, err := recall(st, s); err != nil || here {
				if err != nil {
					return fmt.Errorf("%s: %w", s.Name, err)
				}
				continue
			}
		}
		if p.FetchesFrom(ref.Context().RegistryStr()) {
			ask = append(ask, s)
		}
	}
	if err := c.FetchReferrers(ctx, st, ask); err != nil {
		return err
	}
	for _, s := range ask {
		if err := st.Record(kindReferrers, recordKey(s), s.Referrers); err != nil {
			return err
		}
	}
	return nil
}

// describe fills in the lock for an image. If it has a single manifest, its platform is in its
// configuration.
func describe(get oci.Get, t *lock.ThirdParty, tree *oci.Tree, bundles []product.Bundle) error {
	t.MediaType, t.Digest, t.Size = tree.Desc.MediaType, tree.Desc.Digest, tree.Desc.Size
	has, err := tree.ReadPlatforms(get)
	if err != nil {
		return err
	}
	t.Platforms = append([]platform.Platform{}, has...) // not nil: it was read, and may be for none
	for _, b := range bundles {
		if b.Platform.IsZero() {
			continue
		}
		if best, fallback := platform.Choose(b.Platform, has); fallback {
			t.Fallbacks = append(t.Fallbacks, lock.Fallback{Platform: b.Platform, Runs: has[best]})
		}
	}
	return nil
}
