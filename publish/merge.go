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

// Merge joins the locks of partial releases, whose manifests are in p's registry, makes the index
// of each image, byte for byte as a complete release makes it, and tags it. The locks must have
// everything that p consists of. The store gets the indexes only; to pack a bundle, pull the
// rest.
func Merge(ctx context.Context, p *product.Product, st *store.Store, locks []*lock.Lock, o network.Options) (*lock.Lock, error) {
	l, err := lock.Merge(locks...)
	if err != nil {
		return nil, err
	}
	if err := complete(p, l); err != nil {
		return nil, fmt.Errorf("merging locks: %w", err)
	}
	l.Partial = nil
	c := newClient(o, st, p)
	var images []transfer.Image
	for n := range l.Images {
		img, err := mergeIndex(ctx, c, st, &l.Images[n])
		if err != nil {
			return nil, fmt.Errorf("merging %s: %w", l.Images[n].Name, network.Clean(err))
		}
		images = append(images, img)
	}
	if _, err := c.Push(ctx, images, transfer.Source{}, options); err != nil {
		return nil, err
	}
	if err := fetchReferrers(ctx, c, st, l, func(int) bool { return false }); err != nil {
		return nil, err
	}
	return l, remember(st, l)
}

// complete checks that a lock has everything that the product consists of, and puts the images
// into the product's order.
func complete(p *product.Product, l *lock.Lock) error {
	switch {
	case l.Name != p.Name || l.Version != p.Version:
		return fmt.Errorf("they are of %s %s, and %s is of %s %s", l.Name, l.Version, p.Path, p.Name, p.Version)
	case l.Snapshot != p.Snapshot() || !l.Snapshot && l.Registry != p.Registry:
		return fmt.Errorf("they were published to %s: name it with -registry", l.Registry)
	case len(l.Images) > len(p.Images):
		return fmt.Errorf("they have %d images, and %s has %d", len(l.Images), p.Path, len(p.Images))
	}
	var images []lock.Image
	for _, want := range p.Images {
		i, ok := l.Image(want.Name)
		if !ok {
			return fmt.Errorf("none has %s: build and publish it with -only %s", want.Name, want.Name)
		}
		if lacks, ok := unbuilt(i, want); ok {
			return fmt.Errorf("none has %s for %s: build and publish it with -platforms %s", want.Name, lacks, lacks)
		}
		images = append(images, i)
	}
	l.Images = images
	return completeArtifacts(p, l)
}

// completeArtifacts checks that the lock has the files of all artifacts, and puts them into the
// product's order.
func completeArtifacts(p *product.Product, l *lock.Lock) error {
	var all []lock.Artifact
	for _, a := range p.Artifacts {
		for _, on := range a.Platforms {
			for _, f := range p.Files(a, on) {
				at := slices.IndexFunc(l.Artifacts, func(o lock.Artifact) bool { return o.File == f.Name })
				if at < 0 {
					return fmt.Errorf("none has %s: build its part with -platforms %s, and without -only, which makes no artifacts", f.Name, on.OS)
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
func mergeIndex(ctx context.Context, c *transfer.Client, st *store.Store, i *lock.Image) (transfer.Image, error) {
	img, err := newImage(*i)
	if err != nil {
		return transfer.Image{}, err
	}
	repo := img.Ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope("push,pull")); err != nil {
		return transfer.Image{}, err
	}
	for _, child := range i.Children {
		ref := repo.Digest(child.Digest.String())
		if _, err := c.Head(ctx, ref); err != nil {
			return transfer.Image{}, fmt.Errorf("%s: %s: publish that part again: %w", child.Platform, ref, err)
		}
	}
	var raw []byte
	if i.MediaType.IsIndex() {
		if raw, err = oci.MakeIndex(descriptors(*i), i.Annotations); err != nil {
			return transfer.Image{}, err
		}
	} else {
		only, err := c.Get(ctx, repo.Digest(i.Digest.String()))
		if err != nil {
			return transfer.Image{}, err
		}
		raw = only.Manifest
	}
	if i.Digest, err = st.PutBytes(raw); err != nil {
		return transfer.Image{}, err
	}
	i.Size, i.Annotations = int64(len(raw)), nil
	// without Children and Layers: the registry has them
	img.Tree = &oci.Tree{Desc: descriptor(*i), Raw: raw}
	return img, nil
}

// annotations reads the annotations of an image's index in the store.
func annotations(st *store.Store, i lock.Image) (map[string]string, error) {
	if !i.MediaType.IsIndex() {
		return nil, nil
	}
	raw, err := st.Get(descriptor(i))
	if err != nil {
		return nil, err
	}
	t, err := oci.Parse(descriptor(i), raw)
	if err != nil {
		return nil, err
	}
	return t.Annotations, nil
}
