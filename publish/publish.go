// Package publish gives a release its names: it pushes what build made into an OCI registry, or
// into the embedded one for a snapshot, and records the references in the lock.
//
// [Prepare] gives the images that build made their names and digests, and fetches the third-party
// images; [Prepared.AddCharts] adds the charts that were made for them; [Prepared.Push] pushes
// all of it, the tags last. [PublishPart] pushes selected platforms or images by digest;
// [PrepareMerge] joins such parts. [Move] moves the floating tags, once everything else of the
// release is done. [CheckAccess] checks before a build whether all this can succeed, and
// [Preview] reports what will become of every name. Package transfer moves the images.
package publish

import (
	"context"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// Publish prepares a release without charts and pushes it.
func Publish(ctx context.Context, p *product.Product, st *store.Store, r *built.Result,
	o network.Options,
) (*lock.Lock, error) {
	prepared, err := Prepare(ctx, p, st, r, o)
	if err != nil {
		return nil, err
	}
	if err := prepared.Push(ctx); err != nil {
		return nil, err
	}
	return prepared.Lock, nil
}

// PublishPart pushes the images that p selects of r by digest, and tags nothing: [PrepareMerge],
// which joins parts, makes the indexes. PublishPart also returns the omitted referrers.
func PublishPart(ctx context.Context, p *product.Product, st *store.Store,
	r *built.Result, o network.Options,
) (*lock.Part, []transfer.OmittedReferrer, error) {
	prepared, part, err := prepare(p, st, r, o, true)
	if err != nil {
		return nil, nil, err
	}
	if prepared.Lock.ThirdParty, err = ThirdParty(ctx, p, st, o); err != nil {
		return nil, nil, err
	}
	if err := prepared.planReferrers(ctx); err != nil {
		return nil, nil, err
	}
	if err := prepared.push(ctx); err != nil {
		return nil, nil, err
	}
	for n := range part.Images {
		i := &part.Images[n]
		i.Children = prepared.without(i.Repository, i.Children)
	}
	part.ThirdParty = prepared.Lock.ThirdParty
	return part, prepared.Omitted, nil
}

// newClient returns a client for the registry of p: for a snapshot, the embedded one over st.
func newClient(o network.Options, st *store.Store, p *product.Product) *transfer.Client {
	if p.Snapshot() {
		return transfer.Local(o, registry.Transport(registry.New(st, nil)))
	}
	return transfer.New(o)
}
