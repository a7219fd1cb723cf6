package transfer

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// isSignatureTag reports whether the image is a list of signatures that cosign keeps under a tag.
// Signing once more writes the list anew, longer by a layer, and moves the tag; a release is
// never pulled by it.
func (i *target) isSignatureTag() bool {
	tag, ok := i.Ref.(name.Tag)
	return ok && i.Referrer && imagename.IsCosignTag(tag.TagStr())
}

// reconcileTag handles a signature tag that already names another list: it is replaced only if
// ours contains every signature of it. Otherwise the registry has signatures that are not at
// hand, such as those of its operator.
func (p *push) reconcileTag(ctx context.Context, i *target, have *v1.Descriptor) error {
	theirs, err := p.signatures(ctx, i.repo, have)
	if err != nil {
		return err
	}
	if i.skipped = !superset(i.Tree.Layers, theirs); i.skipped {
		p.o.Progress.Printf("leaving %s as it is: it is %s in the registry, which has signatures that %s here lacks",
			i.Ref, have.Digest, i.Tree.Desc.Digest)
	}
	return nil
}

// dedupeTags skips one of two lists that are pushed to one tag, as bundles of two releases may
// have it: a list that the other contains, or else the later.
func (p *push) dedupeTags(context.Context) error {
	first := map[string]*target{}
	for _, i := range p.images {
		if !i.isSignatureTag() || i.done || i.skipped {
			continue
		}
		other := first[i.Ref.Name()]
		switch {
		case other == nil:
			first[i.Ref.Name()] = i
		case superset(i.Tree.Layers, other.Tree.Layers):
			other.skipped, first[i.Ref.Name()] = true, i
		case superset(other.Tree.Layers, i.Tree.Layers):
			i.skipped = true
		default:
			i.skipped = true
			p.o.Progress.Printf("leaving out %s, which is to be %s as well: "+
				"neither it nor %s has all signatures of the other", i.Tree.Desc.Digest, i.Ref, other.Tree.Desc.Digest)
		}
	}
	return nil
}

// signatures returns the layers of a list in the registry; none if it is an index.
func (c *Client) signatures(ctx context.Context, repo name.Repository, d *v1.Descriptor) ([]v1.Descriptor, error) {
	ref := repo.Digest(d.Digest.String())
	full, err := c.Get(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	if !full.MediaType.IsImage() {
		return nil, nil
	}
	t, err := oci.Parse(full.Descriptor, full.Manifest)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", ref, err)
	}
	return t.Layers, nil
}

// superset reports whether a list of signatures has all of another. Signatures of one image may
// have the same bytes and differ in the annotations of the layer alone
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#storage), so digests do
// not decide. A list without layers is of an unknown kind, and nothing contains it.
func superset(list, other []v1.Descriptor) bool {
	return len(other) > 0 && !slices.ContainsFunc(other, func(d v1.Descriptor) bool {
		return !slices.ContainsFunc(list, func(h v1.Descriptor) bool { return SameLayer(h, d) })
	})
}

// SameLayer reports whether two entries of lists of signatures are the same.
func SameLayer(a, b v1.Descriptor) bool { return reflect.DeepEqual(a, b) }
