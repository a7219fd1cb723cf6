package build

import (
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// Outline is what is known of an image before it is built.
type Outline struct {
	// Annotations are those that its index, or its only manifest, will have.
	Annotations map[string]string
	// On has an element per platform of the image. Those of which [Builder.Check] found errors
	// have no bases.
	On []Grounds
}

// Grounds are the images that an image uses on one platform. If registries have them, Digest is
// what the reference pins, which may be an index.
type Grounds struct {
	Platform   platform.Platform
	Base       *lock.Base // nil for an image from scratch
	CopiedFrom []lock.Base
}

// Outlines returns an outline of each image of the product, in its order. It is for a builder that
// has checked the product: see [Builder.Check].
func (b *Builder) Outlines() []Outline {
	all := make([]Outline, len(b.product.Images))
	for n, i := range b.product.Images {
		all[n].Annotations = b.annotations(i)
		for k, p := range i.Platforms {
			g := Grounds{Platform: p}
			if n < len(b.found) && k < len(b.found[n].on) {
				used := b.found[n].on[k]
				g.Base = b.pinned(used.base)
				for _, f := range used.from {
					g.CopiedFrom = append(g.CopiedFrom, *b.pinned(&f))
				}
			}
			all[n].On = append(all[n].On, g)
		}
	}
	return all
}

// used are the images that an image uses on one platform.
type used struct {
	base *base.Info // nil for none
	from []base.Info
}

// pinned returns a base as slipway.yaml or bases.lock.yaml pins it. Only a snapshot is built on
// stubs; a check of another release that asks no registry has them in place of bases, too.
func (b *Builder) pinned(i *base.Info) *lock.Base {
	out := lockBase(i)
	if out == nil || !out.Stub || b.product.Snapshot() {
		return out
	}
	out.Stub, out.Digest = false, v1.Hash{}
	if ref, err := name.NewDigest(out.Name); err == nil {
		out.Digest, _ = v1.NewHash(ref.DigestStr()) // it has been parsed
	}
	return out
}
