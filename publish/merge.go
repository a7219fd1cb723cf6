package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// PrepareMerge joins parts of a release, whose manifests are in p's registry, and makes the index
// of each image, byte for byte as [Prepare] makes it. The parts must have all that p consists of.
// The store gets the indexes only; to pack a bundle, pull the rest. Of shards, it also gets the
// third-party images of p.
func PrepareMerge(ctx context.Context, p *product.Product, st *store.Store,
	parts []*lock.Part, o network.Options,
) (*Prepared, error) {
	joined, err := lock.Merge(parts...)
	if err != nil {
		return nil, err
	}
	if err := checkComplete(p, joined); err != nil {
		return nil, fmt.Errorf("merging parts: %w", err)
	}
	r := &Prepared{
		Inventory: joined.Inventory, product: p, store: st, client: newClient(o, st, p),
		planned: make([][]transfer.Image, 1+len(joined.Copies)), parts: true,
	}
	var images []lock.Image
	for _, i := range joined.Images {
		m := &merged{client: r.client, store: st, part: i}
		if err := m.read(ctx); err != nil {
			return nil, fmt.Errorf("merging %s: %w", i.Name, network.Clean(err))
		}
		for n, repository := range m.image.Repositories() {
			named, err := m.named(m.image, repository)
			if err != nil {
				return nil, fmt.Errorf("merging %s: %w", i.Name, err)
			}
			r.planned[n] = append(r.planned[n], named...)
		}
		images = append(images, m.image)
	}
	r.Lock = joined.Lock(images)
	r.Lock.Bundles = bundles(p)
	for n, list := range takenReferrers(r.Lock) { // the parts' registries have them
		for _, m := range list {
			r.list(n, r.Lock.Images[n], m)
		}
	}
	if parts[0].Shard != nil {
		r.Lock.ThirdParty, err = ThirdParty(ctx, p, st, o)
	}
	return r, err
}

// checkComplete checks that the joined parts have everything that the product consists of, and
// puts the images into the product's order.
func checkComplete(p *product.Product, l *lock.Part) error {
	switch {
	case l.Name != p.Name:
		return fmt.Errorf("they are of %s %s, and %s is of %s", l.Name, l.Version, p.Path, p.Title())
	case l.Version != p.Version:
		return fmt.Errorf("they are of %s %s, and this run is of %s: give -version=%s", l.Name, l.Version,
			p.Title(), l.Version)
	case l.Channel != p.Channel && l.Channel != "":
		return fmt.Errorf("they were published to channel %s, and this run is of %s: give -channel=%s",
			l.Channel, p.Title(), l.Channel)
	case l.Channel != p.Channel:
		return fmt.Errorf("they were published to no channel, and this run is of %s: publish them again", p.Title())
	case l.Snapshot != p.Snapshot() || !slices.Equal(l.Registries(), Registries(p)):
		return fmt.Errorf("they were published to %s: name it with -registry", strings.Join(l.Registries(), ", "))
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
		if _, lacks, incomplete := restrict(i.MediaType, i.Children, want); incomplete {
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
					with := p.Platforms[0] // of a file for another platform than the release
					for _, o := range p.Platforms {
						if o.OS == on.OS && o.Architecture == on.Architecture {
							with = o
						}
					}
					return fmt.Errorf("none has %s: build its part with -platforms %s, "+
						"and without -images, which makes no artifacts", f.Name, with.OS)
				}
				all = append(all, l.Artifacts[at])
			}
		}
	}
	l.Artifacts = all
	return nil
}

// merged is an image whose tags are pushed once its manifests are in the registries.
type merged struct {
	planned

	client *transfer.Client
	store  *store.Store
	part   lock.PartImage
	image  lock.Image
}

// read makes the indexes of an image over its children, which must be in every registry. Of an
// image without an index it reads the only manifest from the first.
func (m *merged) read(ctx context.Context) error {
	img, indexes, err := m.part.Image()
	if err != nil {
		return err
	}
	m.image, m.Name = img, img.Name
	var first name.Repository
	for n, r := range img.Repositories() {
		repo, err := name.NewRepository(r)
		if err != nil {
			return err
		}
		if n == 0 {
			first = repo
		}
		if err := m.present(ctx, repo); err != nil {
			return err
		}
	}
	if m.Tree, err = m.tree(ctx, first, img.Descriptor(), indexes); err != nil {
		return err
	}
	for _, t := range img.PlatformTags {
		tree, err := m.tree(ctx, first, t.Descriptor(), indexes)
		if err != nil {
			return err
		}
		m.tagged = append(m.tagged, tree)
	}
	return nil
}

// present checks that a repository has all children of the image.
func (m *merged) present(ctx context.Context, repo name.Repository) error {
	if _, err := m.client.Session(ctx, repo, repo.Scope("push,pull")); err != nil {
		return err
	}
	for _, child := range m.part.Children {
		ref := repo.Digest(child.Digest.String())
		switch have, err := m.client.Lookup(ctx, ref); {
		case err != nil:
			return fmt.Errorf("%s: %w", child.Platform, err)
		case have == nil:
			return fmt.Errorf("%s: %s is not in the registry: publish that part again", child.Platform, ref)
		}
	}
	return nil
}

// tree returns a document of the image without children and layers, which the registry has, and
// puts it into the store.
func (m *merged) tree(ctx context.Context, repo name.Repository, d v1.Descriptor,
	indexes map[v1.Hash][]byte,
) (*oci.Tree, error) {
	raw := indexes[d.Digest]
	if raw == nil {
		only, err := m.client.Get(ctx, repo.Digest(d.Digest.String()))
		if err != nil {
			return nil, err
		}
		raw = only.Manifest
	}
	if _, err := m.store.PutBytes(raw); err != nil {
		return nil, err
	}
	return &oci.Tree{Desc: d, Raw: raw}, nil
}
