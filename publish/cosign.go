package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/network"
)

// grows reports whether the image is a list that cosign keeps under a tag: signing once more
// writes the list anew, longer by a layer, and the tag moves. Such a tag stands for something
// else before long, and nobody pulls a release by it.
func (i *image) grows() bool {
	tag, ok := i.Ref.(name.Tag)
	return ok && i.Referrer && imagename.IsCosignTag(tag.TagStr())
}

// grown decides about a list of cosign's whose tag stands for another one in the registry: it is
// pushed where it has all of that, or else left out, since the registry then has what is not at
// hand, such as signatures of its operator.
func (c *client) grown(ctx context.Context, i *image, have *v1.Descriptor) error {
	there, err := c.entries(ctx, i.repo, have)
	if err != nil {
		return err
	}
	here, err := entries(i.Top)
	if err != nil {
		return err
	}
	if i.left = !covers(here, there); i.left {
		c.o.Progress.Printf("leaving %s as it is: it stands for %s in the registry, which has what %s here lacks", i.Ref, have.Digest, i.Top.Descriptor.Digest)
	}
	return nil
}

// rival leaves out one of two lists that are pushed to one tag, as bundles of two releases may
// have it: the one that the other has all of, or else the later.
func (p *plan) rival(o Options) error {
	first := map[string]*image{}
	for _, i := range p.images {
		if !i.grows() || i.done || i.left {
			continue
		}
		other := first[i.Ref.Name()]
		if other == nil {
			first[i.Ref.Name()] = i
			continue
		}
		a, err := entries(other.Top)
		if err != nil {
			return err
		}
		b, err := entries(i.Top)
		if err != nil {
			return err
		}
		switch {
		case covers(b, a):
			other.left, first[i.Ref.Name()] = true, i
		case covers(a, b):
			i.left = true
		default:
			i.left = true
			o.Progress.Printf("leaving out %s, which is to be %s as well: neither it nor %s has all of the other", i.Top.Descriptor.Digest, i.Ref, other.Top.Descriptor.Digest)
		}
	}
	return nil
}

// entries of a list in the registry; none where it is no list.
func (c *client) entries(ctx context.Context, repo name.Repository, d *v1.Descriptor) ([]v1.Descriptor, error) {
	ref := repo.Digest(d.Digest.String())
	s, err := c.Session(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", ref, err)
	}
	full, err := s.Get(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	return entries(Manifest{Descriptor: full.Descriptor, Raw: full.Manifest})
}

// entries are the layers of a list. All signatures of an image may be about the same bytes, and
// differ in the annotations of the layer only
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#storage), so that digests
// do not tell.
func entries(m Manifest) ([]v1.Descriptor, error) {
	if !m.Descriptor.MediaType.IsImage() {
		return nil, nil
	}
	var doc v1.Manifest
	if err := json.Unmarshal(m.Raw, &doc); err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", m.Descriptor.Digest, err)
	}
	return doc.Layers, nil
}

// covers reports whether a list has all of another. One without entries is of a kind unknown
// here, and nothing covers it.
func covers(list, other []v1.Descriptor) bool {
	return len(other) > 0 && !slices.ContainsFunc(other, func(d v1.Descriptor) bool {
		return !slices.ContainsFunc(list, func(h v1.Descriptor) bool { return reflect.DeepEqual(h, d) })
	})
}
