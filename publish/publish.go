// Package publish gives a release its names: it pushes what build made into an OCI registry, or
// into the embedded one for a snapshot, and records the references in the lock.
//
// [Publish] pushes the images that build made, fetches the third-party images, and returns the
// lock, to which [Charts] adds the charts that were made for it. [PublishPart] pushes selected
// platforms or images by digest; [Merge] joins such parts, and tags the images. [Move] moves the
// floating tags, once everything else of the release is done.
// [Reach] checks before a build whether all this can succeed, and [Preview] tells what will become
// of every name. Package transfer moves the images.
package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/registry"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Publish pushes the images of r to p's registry, or to the embedded one if p has none, and
// fetches the third-party images into st. All blobs of the images must be in st, except for layers
// of bases. An r that lacks an image or platform of p is an error. [PublishPart] is for a p or an
// r with a selection.
func Publish(ctx context.Context, p *product.Product, st *store.Store, r *built.Result, o network.Options) (*lock.Lock, error) {
	part, err := newPart(p, st, r)
	if err != nil {
		return nil, err
	}
	if len(part.Selected) > 0 {
		return nil, fmt.Errorf("publishing %s %s: only %v was built: build all of it, or publish a part with -platforms or -images", p.Name, p.Version, part.Selected)
	}
	images, err := complete(st, part)
	if err != nil {
		return nil, err
	}
	l := part.Lock(images)
	c := newClient(o, st, p)
	existed, err := push(ctx, c, p, st, l, o, false)
	if err != nil {
		return nil, err
	}
	return l, finish(ctx, c, p, st, l, l.Images, func(i lock.Image) bool { return !existed[i.Tagged()] })
}

// finish completes images of l, or its charts, once they have their tags: with what refers to those
// that isNew does not report, with the decisions on their floating tags, and with their names in the
// store.
func finish(ctx context.Context, c *transfer.Client, p *product.Product, st *store.Store, l *lock.Lock, images []lock.Image, isNew func(lock.Image) bool) error {
	if err := fetchReferrers(ctx, c, st, images, isNew); err != nil {
		return err
	}
	if err := decide(ctx, c, p, st, l, images); err != nil {
		return err
	}
	return remember(st, images)
}

// PublishPart does as [Publish] for selected platforms or images. It pushes manifests by digest
// only and tags nothing: the indexes come with [Merge], which joins parts.
func PublishPart(ctx context.Context, p *product.Product, st *store.Store, r *built.Result, o network.Options) (*lock.Part, error) {
	part, err := newPart(p, st, r)
	if err != nil {
		return nil, err
	}
	images, err := complete(st, part)
	if err != nil {
		return nil, err
	}
	l := part.Lock(images)
	if _, err := push(ctx, newClient(o, st, p), p, st, l, o, true); err != nil {
		return nil, err
	}
	part.ThirdParty = l.ThirdParty
	return part, nil
}

// push pushes the images of l to all of its registries, and adds the third-party images to it. It
// returns the names that a registry had before.
func push(ctx context.Context, c *transfer.Client, p *product.Product, st *store.Store, l *lock.Lock, o network.Options, byDigest bool) (existed map[string]bool, err error) {
	planned, err := plan(st, l, l.Images, byDigest)
	if err != nil {
		return nil, err
	}
	// First: a release whose images.txt is wrong is not published at all.
	if l.ThirdParty, err = ThirdParty(ctx, p, st, o); err != nil {
		return nil, err
	}
	return pushAll(ctx, c, l, planned, c.FromStore(ctx, st, slices.Concat(planned...)), options)
}

// pushAll pushes the images of each registry of l. The error names every registry that failed, and
// those that have everything.
func pushAll(ctx context.Context, c *transfer.Client, l *lock.Lock, planned [][]transfer.Image, source transfer.Source, o transfer.PushOptions) (existed map[string]bool, err error) {
	existed = map[string]bool{}
	var complete []string
	var failures []error
	for n, done := range c.PushAll(ctx, planned, source, o) {
		registry := l.Registries()[n]
		switch {
		case done.Err == nil:
			complete = append(complete, registry)
		case len(planned) == 1:
			return nil, done.Err
		default:
			failures = append(failures, fmt.Errorf("%s: %w", registry, done.Err))
		}
		for k, out := range done.Outcomes {
			existed[planned[n][k].Ref.Name()] = out.Existed
		}
	}
	if len(failures) > 0 && len(complete) > 0 {
		failures = append(failures, fmt.Errorf("%s: complete but for floating tags: run again, which sends nothing there", strings.Join(complete, ", ")))
	}
	return existed, errors.Join(failures...)
}

// newPart returns what p selects of r, with the names that the images will have.
func newPart(p *product.Product, st *store.Store, r *built.Result) (*lock.Part, error) {
	images, err := selection(p, st, r)
	if err != nil {
		return nil, err
	}
	part := &lock.Part{
		PartVersion: lock.PartVersion, Selected: union(r.Selected, p.Selected), Name: r.Name, Version: r.Version, Channel: p.Channel, Created: r.Created,
		Registry: registries(p)[0], Copies: copies(registries(p)), Go: r.Go, Snapshot: p.Snapshot(), Sources: r.Sources, Images: images, Artifacts: r.Artifacts, Compilers: r.Compilers, Prebuilt: r.Prebuilt,
	}
	for n := range part.Images {
		rename(p, &part.Images[n])
	}
	return part, refuseStubs(part)
}

// complete makes the indexes of a part's images in the store.
func complete(st *store.Store, part *lock.Part) ([]lock.Image, error) {
	var images []lock.Image
	for _, i := range part.Images {
		img, indexes, err := i.Image()
		for _, raw := range indexes {
			if err == nil {
				_, err = st.PutBytes(raw)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
		}
		images = append(images, img)
	}
	return images, nil
}

// newClient returns a client for the registry of p: for a snapshot, the embedded one over st.
func newClient(o network.Options, st *store.Store, p *product.Product) *transfer.Client {
	if p.Snapshot() {
		return transfer.Local(o, registry.Transport(registry.New(st, nil)))
	}
	return transfer.New(o)
}
