// Package publish gives a release its names: it pushes what build made into an OCI registry, or
// into the embedded one for a snapshot, and records the references in the lock.
//
// [Publish] pushes the images of a lock, fetches the third-party images, and returns the lock with
// names. [Merge] joins partial releases that were published by digest, and tags the images.
// [Reach] checks before a build whether all this can succeed. Package transfer moves the images.
package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/registry"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Publish pushes the images of l that p selects to p's registry, or to the embedded one if p has
// none, and fetches the third-party images into st. All blobs of the images must be in st, except
// for layers of bases. It returns a new lock: l with registry, names and third-party images
// filled in, and without the images that p does not select. If p or l is partial, manifests are
// pushed by digest only and nothing is tagged; [Merge] joins such locks. An l that lacks an image
// or platform of p is an error.
func Publish(ctx context.Context, p *product.Product, st *store.Store, l *lock.Lock, o network.Options) (*lock.Lock, error) {
	images, err := selection(p, st, l)
	if err != nil {
		return nil, err
	}
	named := withNames(p, l, images)
	if err := refuseStandIns(named); err != nil {
		return nil, err
	}
	if len(named.Partial) > 0 {
		for n, i := range named.Images {
			var err error
			if named.Images[n].Annotations, err = annotations(st, i); err != nil {
				return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
			}
		}
	}
	planned, err := plan(st, named)
	if err != nil {
		return nil, err
	}
	// First: a release whose images.txt is wrong is not published at all.
	if named.ThirdParty, err = thirdParty(ctx, p, st, o); err != nil {
		return nil, err
	}
	c := newClient(o, st, p)
	r, err := c.Push(ctx, planned, c.FromStore(ctx, st, planned), options)
	if err != nil {
		return nil, err
	}
	if len(named.Partial) == 0 { // no registry has the indexes of a part: Merge does this
		isNew := func(n int) bool { return !r.Outcomes[n].Existed }
		if err := fetchReferrers(ctx, c, st, named, isNew); err != nil {
			return nil, err
		}
	}
	return named, remember(st, named)
}

// Names returns a copy of l with the names under which [Publish] publishes its images.
func Names(p *product.Product, l *lock.Lock) *lock.Lock { return withNames(p, l, l.Images) }

// withNames returns a copy of l with some of its images, and gives these their names.
func withNames(p *product.Product, l *lock.Lock, images []lock.Image) *lock.Lock {
	named := *l
	named.Registry, named.Snapshot, named.Partial = p.Registry, p.Snapshot(), union(l.Partial, p.Selected)
	if named.Snapshot {
		named.Registry = registry.Host
	}
	named.Images = slices.Clone(images)
	for n := range named.Images {
		i := &named.Images[n]
		i.Repository = named.Registry + "/" + p.Name + "/" + i.Name
		i.Tag = p.Version
	}
	return &named
}

// remember names complete images in the store's own index, where readers of layouts find them.
func remember(st *store.Store, l *lock.Lock) error {
	if len(l.Partial) > 0 {
		return nil // a name means a complete image
	}
	for _, i := range l.Images {
		if err := st.Tag(i.Tagged(), descriptor(i)); err != nil {
			return err
		}
	}
	return nil
}

// newClient returns a client for the registry of p: for a snapshot, the embedded one over st.
func newClient(o network.Options, st *store.Store, p *product.Product) *transfer.Client {
	if p.Snapshot() {
		return transfer.Local(o, registry.Transport(registry.New(st, nil)))
	}
	return transfer.New(o)
}
