package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Remote is an image, or a referrer, that a repository has.
type Remote struct {
	Repo name.Repository
	Tree *oci.Tree
}

// Read reads the documents of images from their registries. The error lists all images of which a
// document is missing, or cannot be read.
func (c *Client) Read(ctx context.Context, refs []name.Digest) ([]Remote, error) {
	all, wrong := make([]Remote, len(refs)), make([]error, len(refs))
	err := Each(ctx, c, refs, func(ctx context.Context, n int, ref name.Digest) error {
		w := &Wanted{Ref: ref}
		err := w.read(ctx, c, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case absent(err):
			wrong[n] = fmt.Errorf("%s is not in the registry", ref)
		case err != nil:
			wrong[n] = fmt.Errorf("reading %s: %w", ref, network.Clean(err))
		}
		all[n] = Remote{ref.Context(), w.tree}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, errors.Join(wrong...)
}

// FromRegistry returns a source that gives the blobs of images from the registries that have
// them.
func (c *Client) FromRegistry(ctx context.Context, images []Remote) Source {
	type place struct {
		repo name.Repository
		desc v1.Descriptor
	}
	places := map[v1.Hash]place{}
	for _, i := range images {
		for m := range i.Tree.All() {
			for _, b := range m.Blobs() {
				if _, known := places[b.Digest]; !known {
					places[b.Digest] = place{i.Repo, b}
				}
			}
		}
	}
	return Source{Open: func(h v1.Hash) (io.ReadCloser, error) {
		p, ok := places[h]
		if !ok {
			return nil, fmt.Errorf("%s is not a blob of these images", h)
		}
		return c.Stream(ctx, p.repo, p.desc)
	}}
}

// MountFrom returns the bases of an image that is copied: its blobs are mounted where source and
// target are on one registry.
func (r Remote) MountFrom() map[v1.Hash]name.Reference {
	all := map[v1.Hash]name.Reference{}
	for m := range r.Tree.All() {
		all[m.Desc.Digest] = r.Repo.Digest(m.Desc.Digest.String())
	}
	return all
}

// Pin is a reference and the digest that it must have.
type Pin struct {
	Ref    name.Reference
	Digest v1.Hash
}

// Check asks registries whether references can be pulled and have their digests. The error lists
// all that do not.
func (c *Client) Check(ctx context.Context, pins []Pin) error {
	wrong := make([]error, len(pins))
	err := Each(ctx, c, pins, func(ctx context.Context, n int, p Pin) error {
		switch have, err := c.Lookup(ctx, p.Ref); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			wrong[n] = err
		case have == nil:
			wrong[n] = fmt.Errorf("%s is not in the registry", p.Ref)
		case have.Digest != p.Digest:
			wrong[n] = fmt.Errorf("%s is %s in the registry, not %s", p.Ref, have.Digest, p.Digest)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(wrong...)
}

// Trees asks registries for every manifest of images, so that an incomplete one counts as
// missing. The result is by reference; an image that its registry does not have is missing from
// it. What a registry sends is compared with the digest, as everywhere. An image of a single
// manifest gets the platform of its configuration.
func (c *Client) Trees(ctx context.Context, refs []name.Reference) (map[string]*oci.Tree, error) {
	found := make([]*oci.Tree, len(refs))
	err := Each(ctx, c, refs, func(ctx context.Context, n int, ref name.Reference) error {
		t, err := c.tree(ctx, ref)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !absent(err) {
			return fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
		}
		found[n] = t
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string]*oci.Tree{}
	for n, ref := range refs {
		if found[n] != nil {
			all[ref.String()] = found[n]
		}
	}
	return all, nil
}

func (c *Client) tree(ctx context.Context, ref name.Reference) (*oci.Tree, error) {
	repo := ref.Context()
	top, err := c.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	get := network.Listed(c.Manifests(ctx, repo))
	t, err := oci.Read(v1.Descriptor{Digest: top.Digest}, func(d v1.Descriptor) ([]byte, error) {
		if d.Digest == top.Digest {
			return top.Manifest, nil
		}
		return get(d)
	}, oci.Limits{})
	if err == nil {
		_, err = t.ReadPlatforms(network.Listed(c.Configs(ctx, repo)))
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}
