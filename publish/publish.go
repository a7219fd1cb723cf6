// Package publish brings what build made under its names: into an OCI registry, or into the
// embedded one for a snapshot.
//
// [Publish] pushes the images of a lock and returns the lock with their names, in an order that
// never leaves a name for something incomplete: it looks at every tag; then sends each blob once,
// to one repository; mounts it from there into the others; then puts the manifests of single
// platforms by digest; and last the tags. A tag that stands for another digest stops it before
// anything is sent; one that stands for ours already means that there is nothing to send.
//
// Package network talks to the registries, and has the rules for credentials, plain HTTP and
// retries.
package publish

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/slipway-dev/slipway/internal/registry"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Publish pushes the images of l that p consists of, whose blobs are all in st but for layers of
// bases, to p's registry, or to the embedded one where p has none, and brings the third-party
// images into st. It returns a new lock: l with registry, names and third-party images filled in,
// and without what p does not select. Where p or l is partial, manifests are pushed by digest
// only and nothing is tagged; [Merge] joins such locks. An l that lacks something of p is an
// error.
func Publish(ctx context.Context, p *product.Product, st *store.Store, l *lock.Lock, o Options) (*lock.Lock, error) {
	o = o.Defaults()
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
	plan, err := planPush(st, named)
	if err != nil {
		return nil, err
	}
	// First, since a release whose images.txt is wrong should not be published at all.
	if named.ThirdParty, err = thirdParty(ctx, p, st, o); err != nil {
		return nil, err
	}
	c := newTarget(o, st, p)
	plan.withBases(ctx, c, st)
	if _, err := push(ctx, c, plan, o); err != nil {
		return nil, err
	}
	// the indexes of a part exist nowhere: Merge looks for what refers to them
	if len(named.Partial) == 0 {
		if err := ownReferrers(ctx, c, st, named, plan); err != nil {
			return nil, err
		}
	}
	return named, remember(st, named)
}

// Names returns a copy of l with the names under which [Publish] publishes its images.
func Names(p *product.Product, l *lock.Lock) *lock.Lock { return withNames(p, l, l.Images) }

// withNames returns a copy of l with some of its images, and the names that these will have.
func withNames(p *product.Product, l *lock.Lock, images []lock.Image) *lock.Lock {
	named := *l
	named.Registry, named.Snapshot, named.Partial = p.Registry, p.Snapshot(), union(l.Partial, p.Partial)
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

// remember names whole images in the store's own index, where readers of layouts find them.
func remember(st *store.Store, l *lock.Lock) error {
	if len(l.Partial) > 0 {
		return nil // a name means the whole image
	}
	for _, i := range l.Images {
		if err := st.Tag(i.Tagged(), descriptor(i)); err != nil {
			return err
		}
	}
	return nil
}

// Handler is the embedded registry over st, read only: it serves what l names.
func Handler(st *store.Store, l *lock.Lock) http.Handler {
	return registry.ReadOnly{Registry: registry.New(st, l)}
}
