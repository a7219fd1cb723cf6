package publish

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// noNetwork is why a snapshot leaves an image out.
const noNetwork = "no network in a snapshot: name a registry with -registry"

// thirdParty brings the images of images.txt into st, all platforms, byte for byte. A snapshot
// takes what st has already, by its pinned digest, and what a registry on this machine has; it
// leaves out and reports the rest.
func thirdParty(ctx context.Context, p *product.Product, st *store.Store, o Options) ([]lock.ThirdParty, error) {
	all := make([]lock.ThirdParty, len(p.Airgap.Images))
	about := make([]*subject, len(all))
	var fetch []*wanted
	for n, t := range p.Airgap.Images {
		all[n].Reference = t.Text
		found := func(root *node) error {
			about[n] = &subject{repo: t.Reference.Context(), text: t.Text, digests: root.digests()}
			return describe(st, &all[n], root, p.Airgap.Bundles)
		}
		root, here, err := pinned(st, t.Reference)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", t.Text, err)
		case here:
			if err := found(root); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Text, err)
			}
		case p.Snapshot() && !network.Loopback(t.Reference.Context().RegistryStr()):
			all[n].LeftOut = noNetwork
			o.Progress.Printf("leaving out %s: %s", t.Text, noNetwork)
		default:
			fetch = append(fetch, &wanted{ref: t.Reference, text: t.Text, remedy: "check the line " + t.Pos.String() + ", or the network and the credentials for " + t.Reference.Context().RegistryStr(), found: found})
		}
	}
	c := newClient(o)
	if len(fetch) > 0 {
		if err := fetchAll(ctx, c, st, fetch); err != nil {
			return nil, err
		}
	}
	if err := thirdPartyReferrers(ctx, c, p, st, about); err != nil {
		return nil, err
	}
	for n, s := range about {
		if s != nil {
			all[n].Referrers = s.referrers
		}
	}
	return all, nil
}

// thirdPartyReferrers brings what refers to the images into st. Of an image that is pinned, what
// the store remembers suffices, as for the image itself.
func thirdPartyReferrers(ctx context.Context, c *client, p *product.Product, st *store.Store, about []*subject) error {
	var ask []*subject
	for n, s := range about {
		if s == nil {
			continue
		}
		ref := p.Airgap.Images[n].Reference
		if _, ok := ref.(name.Digest); ok {
			if here, err := s.recall(st); err != nil || here {
				if err != nil {
					return fmt.Errorf("%s: %w", s.text, err)
				}
				continue
			}
		}
		if !p.Snapshot() || network.Loopback(ref.Context().RegistryStr()) {
			ask = append(ask, s)
		}
	}
	if err := fetchReferrers(ctx, c, st, ask); err != nil {
		return err
	}
	for _, s := range ask {
		if err := st.Record(kindReferrers, s.key(), s.referrers); err != nil {
			return err
		}
	}
	return nil
}

// pinned looks for a reference by digest in the store, where it counts only with everything it
// consists of.
func pinned(st *store.Store, ref name.Reference) (root *node, here bool, err error) {
	d, ok := ref.(name.Digest)
	if !ok {
		return nil, false, nil
	}
	h, err := v1.NewHash(d.DigestStr())
	if err != nil {
		return nil, false, err
	}
	if !st.Has(h) {
		return nil, false, nil
	}
	raw, err := st.ReadAll(h, network.MaxManifest)
	if err != nil {
		return nil, false, err
	}
	return local(st, v1.Descriptor{Digest: h, Size: int64(len(raw))})
}

// describe writes into the lock what a reference stood for. An image of a single manifest has its
// platform in its configuration.
func describe(st *store.Store, t *lock.ThirdParty, root *node, bundles []product.Bundle) error {
	t.MediaType, t.Digest, t.Size = root.desc.MediaType, root.desc.Digest, root.desc.Size
	if len(root.blobs) > 0 {
		raw, err := st.ReadAll(root.blobs[0].Digest, network.MaxManifest)
		if err != nil {
			return err
		}
		var cf v1.ConfigFile
		if err := json.Unmarshal(raw, &cf); err != nil {
			return fmt.Errorf("reading configuration %s: %w", root.blobs[0].Digest, err)
		}
		root.desc.Platform = cf.Platform()
	}
	has := root.platforms()
	for _, p := range has {
		t.Platforms = append(t.Platforms, platform.Format(p))
	}
	for _, b := range bundles {
		if b.Platform == nil {
			continue
		}
		if best := platform.Best(*b.Platform, has); best >= 0 && !platform.Same(has[best], *b.Platform) {
			t.Fallbacks = append(t.Fallbacks, lock.Fallback{Platform: platform.Format(*b.Platform), Runs: t.Platforms[best]})
		}
	}
	return nil
}
