package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/store"
)

// Prepared is a release that is in no registry yet: everything has its names and digests, and the
// store has every document. [Prepare] and [PrepareMerge] make it.
type Prepared struct {
	// Lock is complete but for the charts, which AddCharts adds, and for what the registries
	// report: Push fills in the referrers and the floating tags.
	Lock *lock.Lock
	// Inventory lists the contents of the images and artifacts.
	Inventory *lock.Inventory
	// Omitted lists the referrers that Push has omitted, as product.Product.Referrers permits. The
	// lock lists only referrers that the first registry has.
	Omitted []transfer.OmittedReferrer

	product *product.Product
	store   *store.Store
	client  *transfer.Client
	planned [][]transfer.Image // for each registry of the lock
	parts   bool               // the registries have the manifests
	// asked records for every image whether Referrers has found it, or a part of it, in the primary
	// registry.
	asked    map[v1.Hash]bool
	attached [][]attachment // for each of Lock.Published; nil if there are none
}

// Prepare gives the images of r their names and digests, and makes their indexes in st, and
// fetches the third-party images into st. All blobs of the images must be in st, except for
// layers of bases. An r that lacks an image or platform of p is an error. [PublishPart] is for a
// p or an r with a selection.
func Prepare(ctx context.Context, p *product.Product, st *store.Store, r *built.Result,
	o network.Options,
) (*Prepared, error) {
	prepared, _, err := prepare(p, st, r, o, false)
	if err != nil {
		return nil, err
	}
	prepared.Lock.ThirdParty, err = ThirdParty(ctx, p, st, o)
	return prepared, err
}

// prepare prepares a release, or a part of one with byDigest, without third-party images.
func prepare(p *product.Product, st *store.Store, from *built.Result, o network.Options, byDigest bool) (
	*Prepared, *lock.Part, error,
) {
	part, err := newPart(p, from)
	if err != nil {
		return nil, nil, err
	}
	if len(part.Selected) > 0 && !byDigest {
		return nil, nil, fmt.Errorf("publishing %s %s: only %v was built: "+
			"build all of it, or publish a part with -platforms or -images", p.Name, p.Version, part.Selected)
	}
	images, err := complete(st, part, from)
	if err != nil {
		return nil, nil, err
	}
	if err := refuseStubs(part, images); err != nil {
		return nil, nil, err
	}
	r := &Prepared{
		Lock: part.Lock(images), Inventory: part.Inventory, product: p,
		store: st, client: newClient(o, st, p),
	}
	r.Lock.Bundles = bundles(p)
	if err := r.attach(takenReferrers(r.Lock), false); err != nil {
		return nil, nil, err
	}
	r.planned, err = plan(st, r.Lock, r.Lock.Images, byDigest)
	return r, part, err
}

// AddCharts adds the charts that were made for the release, which name its images by digest.
// Every registry gets the same bytes, which name the images at the first.
func (r *Prepared) AddCharts(charts []*chart.Artifact) error {
	r.Lock.Charts = ChartNames(r.product, charts)
	for _, a := range charts {
		for _, b := range [][]byte{a.Archive, a.Config, a.Manifest} {
			if _, err := r.store.PutBytes(b); err != nil {
				return fmt.Errorf("publishing chart %s: %w", a.Name, err)
			}
		}
	}
	more, err := plan(r.store, r.Lock, r.Lock.ChartImages(), false)
	for n := range more {
		r.planned[n] = append(r.planned[n], more[n]...)
	}
	return err
}

// Complete brings all that bundles need into the store: the layers of bases, which nothing may
// have read so far, and for a merge what the parts pushed. A snapshot lacks nothing.
func (r *Prepared) Complete(ctx context.Context) error {
	if r.Lock.Snapshot {
		return nil
	}
	if err := r.client.FetchBases(ctx, r.store, r.planned[0]); err != nil {
		return err
	}
	return r.client.Pull(ctx, r.store, r.Lock)
}

// Push pushes the release to all of its registries: blobs, then every document by digest, and
// last the tags, and completes the lock. A tag that names another digest stops it before anything
// is sent. Nothing that the registries have is sent again.
func (r *Prepared) Push(ctx context.Context) error {
	if r.asked == nil {
		if err := r.Referrers(ctx); err != nil {
			return err
		}
	}
	if err := r.planReferrers(ctx); err != nil {
		return err
	}
	all := r.Lock.Published()
	if err := decide(ctx, r.client, r.product, r.store, r.Lock, all); err != nil {
		return err
	}
	if err := r.push(ctx); err != nil {
		return err
	}
	r.update(all)
	r.unlist()
	return remember(r.store, all)
}

// push pushes the plan of each registry. The error names every registry that failed, and
// those that have everything.
func (r *Prepared) push(ctx context.Context) error {
	var complete []string
	var failures []error
	source := r.client.FromStore(ctx, r.store, slices.Concat(r.planned...))
	for n, done := range r.client.PushAll(ctx, r.planned, source, options(r.product)) {
		registry := r.Lock.Registries()[n]
		r.Omitted = append(r.Omitted, done.Omitted...)
		switch {
		case done.Err == nil:
			complete = append(complete, registry)
		case len(r.planned) == 1:
			return done.Err
		default:
			failures = append(failures, fmt.Errorf("%s: %w", registry, done.Err))
		}
	}
	if len(failures) > 0 && len(complete) > 0 {
		failures = append(failures,
			fmt.Errorf("%s: complete but for floating tags: run again, which sends nothing there",
				strings.Join(complete, ", ")))
	}
	return errors.Join(failures...)
}

// options are for a release. No one else pushes below its tags, so a tag proves that all is
// there.
func options(p *product.Product) transfer.PushOptions {
	return transfer.PushOptions{
		Task:      "publish",
		TrustTags: true,
		Referrers: p.Referrers,
		Conflict: func(i transfer.Image, have v1.Hash) (what, todo string) {
			kind, ours, todo := "", "", p.VersionSource.Raise()
			if i.Tree.ArtifactType() == string(chart.ConfigType) {
				kind, ours, todo = "chart ", "the chart of ", "raise its version"
			}
			return fmt.Sprintf("publishing %s%s: the tag is %s already, and %sthis release is %s",
				kind, i.Ref, have, ours, i.Tree.Desc.Digest), todo + ", or delete the tag if it is not in use"
		},
	}
}
