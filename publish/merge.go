package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Merge joins parts of a release, whose manifests are in p's registry, makes the index of each
// image, byte for byte as [Publish] makes it, and tags it. The parts must have all that p consists
// of. The store gets the indexes only; to pack a bundle, pull the rest.
func Merge(ctx context.Context, p *product.Product, st *store.Store, parts []*lock.Part, o network.Options) (*lock.Lock, error) {
	joined, err := lock.Merge(parts...)
	if err != nil {
		return nil, err
	}
	if err := checkComplete(p, joined); err != nil {
		return nil, fmt.Errorf("merging parts: %w", err)
	}
	c := newClient(o, st, p)
	var images []lock.Image
	var planned []transfer.Image
	for _, i := range joined.Images {
		img, push, err := mergeIndex(ctx, c, st, i)
		if err != nil {
			return nil, fmt.Errorf("merging %s: %w", i.Name, network.Clean(err))
		}
		images, planned = append(images, img), append(planned, push)
	}
	l := joined.Lock(images)
	if _, err := c.Push(ctx, planned, transfer.Source{}, options); err != nil {
		return nil, err
	}
	if err := fetchReferrers(ctx, c, st, l, func(int) bool { return false }); err != nil {
		return nil, err
	}
	return l, remember(st, l)
}

// checkComplete checks that the joined parts have everything that the product consists of, and
// puts the images into the product's order.
func checkComplete(p *product.Product, l *lock.Part) error {
	switch {
	case l.Name != p.Name:
		return fmt.Errorf("they are of %s %s, and %s is of %s", l.Name, l.Version, p.Path, p.Title())
	case l.Version != p.Version:
		return fmt.Errorf("they are of %s %s, and this run is of %s: give -version=%s", l.Name, l.Version, p.Title(), l.Version)
	case l.Snapshot != p.Snapshot() || !l.Snapshot && l.Registry != p.Registry:
		return fmt.Errorf("they were published to %s: name it with -registry", l.Registry)
	case len(l.Images) > len(p.Images):
		return fmt.Errorf("they have %d images, and %s has %d", len(l.Images), p.Path, len(p.Images))
	}
	var images []lock.PartImage
	for _, want := range p.Images {
		at := slices.IndexFunc(l.Images, func(i lock.PartImage) bool { return i.Name == want.Name })
		if at < 0 {
			return fmt.Errorf("none has %s: build and publish it with -images %s", want.Name, want.Name)
		}
		i := l.Images[at]
		if lacks, ok := unbuilt(i.MediaType, i.Children, want); ok {
			return fmt.Errorf("none has %s for %s: build and publish it with -platforms %s", want.Name, lacks, lacks)
		}
		images = append(images, i)
	}
	l.Images = images
	return checkArtifacts(p, l)
}

// checkArtifacts checks that the parts have the files of all artifacts, and puts them into the
// product's order.
func checkArtifacts(p *product.Product, l *lock.Part) error {
	var all []lock.Artifact
	for _, a := range p.Artifacts {
		for _, on := range a.Platforms {
			for _, f := range p.Files(a, on) {
				at := slices.IndexFunc(l.Artifacts, func(o lock.Artifact) bool { return o.File == f.Name })
				if at < 0 {
					return fmt.Errorf("none has %s: build its part with -platforms %s, and without -images, which makes no artifacts", f.Name, on.OS)
				}
				all = append(all, l.Artifacts[at])
			}
		}
	}
	l.Artifacts = all
	return nil
}

// mergeIndex plans the push of an image's tag: of the index over its children, or of its only
// manifest, which it reads from the registry.
func mergeIndex(ctx context.Context, c *transfer.Client, st *store.Store, i lock.PartImage) (lock.Image, transfer.Image, error) {
	img, raw, err := i.Image()
	if err != nil {
		return img, transfer.Image{}, err
	}
	planned, err := newImage(img)
	if err != nil {
		return img, planned, err
	}
	repo := planned.Ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope("push,pull")); err != nil {
		return img, planned, err
	}
	for _, child := range i.Children {
		ref := repo.Digest(child.Digest.String())
		if _, err := c.Head(ctx, ref); err != nil {
			return img, planned, fmt.Errorf("%s: %s: publish that part again: %w", child.Platform, ref, err)
		}
	}
	if raw == nil {
		only, err := c.Get(ctx, repo.Digest(img.Digest.String()))
		if err != nil {
			return img, planned, err
		}
		raw = only.Manifest
	}
	if _, err := st.PutBytes(raw); err != nil {
		return img, planned, err
	}
	// without Children and Layers: the registry has them
	planned.Tree = &oci.Tree{Desc: descriptor(img), Raw: raw}
	return img, planned, nil
}
