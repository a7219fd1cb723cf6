package assemble

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// takeReference brings an image of a registry into the store, with what refers to it there.
func (r *reader) takeReference(ctx context.Context, t product.PrebuiltImage) (taken, error) {
	got, err := r.bases.Prebuilt(ctx, t.Reference, t.Platform)
	if err != nil {
		return taken{}, err
	}
	if err := r.bases.Complete(ctx, got); err != nil {
		return taken{}, err
	}
	out, err := r.inStore(got.Info.Digest, t, nil)
	if err != nil || r.bases.Shipped != nil {
		return out, err
	}
	out.referrers, err = r.takenReferrers(ctx, t, out.manifest.Desc)
	return out, err
}

// kindReferrers is the kind of records of what refers to a prebuilt image.
const kindReferrers = "prebuilt referrers"

// takenReferrers brings what refers to a manifest into the store. A release to a registry asks
// each time, since a signature may come later; a snapshot takes what the store remembers.
func (r *reader) takenReferrers(ctx context.Context, t product.PrebuiltImage, manifest v1.Descriptor,
) ([]oci.Referrer, error) {
	repo := t.Reference.Context()
	key := repo.Name() + "@" + manifest.Digest.String()
	var known []oci.Referrer
	if r.Product.Snapshot() {
		if found, err := r.Store.Recall(kindReferrers, key, &known); err != nil || found && r.hasAll(known) {
			return known, err
		}
	}
	made, err := r.attestations(ctx, t.Reference, manifest)
	if err != nil {
		return nil, err
	}
	s := &transfer.Subject{Repo: repo, Name: t.Text, Digests: []v1.Hash{manifest.Digest}}
	c := transfer.New(network.Options{Progress: r.Progress})
	if err := c.FetchReferrers(ctx, r.Store, []*transfer.Subject{s}); err != nil {
		return nil, err
	}
	all := imagefile.Sorted(manifest.Digest, append(made, s.Referrers...))
	return all, r.Store.Record(kindReferrers, key, all)
}

// hasAll reports whether the store has all of these referrers.
func (r *reader) hasAll(list []oci.Referrer) bool {
	for _, o := range list {
		if _, complete, err := r.Store.Tree(o.Descriptor()); err != nil || !complete {
			return false
		}
	}
	return true
}

// attestations makes referrers of the attestations that BuildKit has put into the index that a
// reference names, as of those in a file.
func (r *reader) attestations(ctx context.Context, ref name.Reference, manifest v1.Descriptor,
) (all []oci.Referrer, err error) {
	h, err := v1.NewHash(ref.Identifier())
	if err != nil || h == manifest.Digest {
		return nil, err
	}
	raw, err := r.Store.Get(v1.Descriptor{Digest: h})
	if err != nil {
		return nil, err
	}
	top, err := oci.Parse(v1.Descriptor{Digest: h}, raw) // the store lacks the other platforms
	if err != nil {
		return nil, err
	}
	for _, c := range top.Children {
		if !imagefile.Attests(c.Desc, manifest.Digest) {
			continue
		}
		w := &transfer.Wanted{Ref: ref.Context().Digest(c.Desc.Digest.String()), Name: ref.String()}
		var of *oci.Tree
		w.Done = func(t *oci.Tree) error { of = t; return nil }
		c := transfer.New(network.Options{Progress: r.Progress})
		if err := c.Fetch(ctx, r.Store, []*transfer.Wanted{w}); err != nil {
			return nil, err
		}
		one, documents, err := imagefile.Referrer(of, manifest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ref, err)
		}
		for _, d := range documents {
			if _, err := r.Store.PutBytes(d); err != nil {
				return nil, err
			}
		}
		if one.Digest != (v1.Hash{}) {
			all = append(all, one)
		}
	}
	return all, nil
}
