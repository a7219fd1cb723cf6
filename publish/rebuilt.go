package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Shipped is an existing release that is rebuilt, as far as it is at hand.
type Shipped struct {
	Open oci.Open
	// Digest returns the digest that a tag of a third-party image had, if it is known: it may have
	// moved since.
	Digest func(tag name.Tag) (v1.Hash, bool)
	// File returns the digest of the manifest that was taken out of a file for a platform, by the
	// text of slipway.yaml.
	File func(text string, p platform.Platform) (v1.Hash, bool)
}

// PrepareAgain prepares a release that was made before and that is not pushed, as [Prepare] does,
// but of third-party images it reads the documents alone, those that shipped has from there.
func PrepareAgain(ctx context.Context, p *product.Product, st *store.Store, r *built.Result, shipped Shipped,
	o network.Options,
) (*Prepared, error) {
	prepared, _, err := prepare(p, st, r, o, false)
	if err != nil {
		return nil, err
	}
	c := network.New(o)
	for _, t := range p.Airgap.Images {
		party := party(t)
		if t.Omitted == "" {
			if err := describeAgain(ctx, c, p, t.Reference, shipped, &party); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Text, err)
			}
		}
		prepared.Lock.ThirdParty = append(prepared.Lock.ThirdParty, party)
	}
	return prepared, nil
}

// describeAgain fills in the lock for an image that is not fetched. A snapshot omits the images
// of other machines that shipped lacks.
func describeAgain(ctx context.Context, c *network.Client, p *product.Product, ref name.Reference,
	shipped Shipped, party *lock.ThirdParty,
) error {
	repo := ref.Context()
	offline := !p.FetchesFrom(repo.RegistryStr())
	if tag, ok := ref.(name.Tag); ok {
		if h, ok := shipped.Digest(tag); ok {
			ref = repo.Digest(h.String())
		}
	}
	d, pinned := ref.(name.Digest)
	if !pinned {
		if offline {
			party.Omitted = lock.NoNetwork
			return nil
		}
		head, err := c.Head(ctx, ref)
		if err != nil {
			return network.Clean(err)
		}
		d = repo.Digest(head.Digest.String())
	}
	h, err := v1.NewHash(d.DigestStr())
	if err != nil {
		return err
	}
	top := v1.Descriptor{Digest: h}
	raw, err := first(shipped.Open, c.Manifests(ctx, repo), offline)(top)
	if offline && errors.Is(err, oci.ErrAbsent) {
		party.Omitted = lock.NoNetwork
		return nil
	}
	if err != nil {
		return err
	}
	tree, err := oci.Parse(top, raw)
	if err != nil {
		return err
	}
	return describe(first(shipped.Open, c.Configs(ctx, repo), offline), party, tree, p.Airgap.Bundles)
}

// first reads documents from a release at hand and, unless offline, what that lacks from a
// registry.
func first(shipped oci.Open, get oci.Get, offline bool) oci.Get {
	if offline {
		return shipped.Get
	}
	return shipped.Else(get, func(d v1.Descriptor, err error) error {
		return fmt.Errorf("no bundle here has %s, and its registry cannot be read: %w: name the directory "+
			"that has the bundles of the release, or make the registry reachable", d.Digest, network.Clean(err))
	})
}
