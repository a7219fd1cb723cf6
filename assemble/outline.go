package assemble

import (
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Outline has the known properties of an image before it is built.
type Outline struct {
	// Annotations are those that its index, or its only manifest, will have.
	Annotations map[string]string
	// On has an element per platform of the image. Those in which the check found errors
	// have no bases.
	On []Grounds
}

// Grounds are the images that an image uses on one platform. If registries have them, Digest is
// what the reference pins, which may be an index.
type Grounds struct {
	Platform   platform.Platform
	Base       *lock.Base // nil for an image from scratch
	CopiedFrom []lock.Base
	// Prebuilt is the image of another builder that is taken; nil for one that is built. Builder is
	// the builder of the user that builds it; "" for slipway.
	Prebuilt *Taken
	Builder  string
}

// Outlines returns an outline of each image of the product, in its order.
func (f *Found) Outlines() []Outline {
	p := f.reader.Product
	all := make([]Outline, len(p.Images))
	for n, i := range p.Images {
		all[n].Annotations = f.reader.annotations(i)
		for k, on := range i.Platforms {
			g := Grounds{Platform: on, Prebuilt: f.outlineTaken(n, i, on), Builder: builderOf(i, on)}
			if k < len(f.images[n].on) {
				used := f.images[n].on[k]
				g.Base = pinned(p, used.base)
				for _, i := range used.from {
					g.CopiedFrom = append(g.CopiedFrom, *pinned(p, &i))
				}
			}
			all[n].On = append(all[n].On, g)
		}
	}
	return all
}

// Taken is an image of another builder before a release takes it.
type Taken struct {
	From string `json:"from"` // as slipway.yaml has it
	// Digest of its manifest and Bytes of its layers as they are; zero where the check could not ask,
	// or a manifest is yet to be made.
	Digest v1.Hash `json:"digest,omitzero"`
	Bytes  int64   `json:"bytes,omitempty"`
}

// outlineTaken returns the image of another builder; nil for one that is built.
func (f *Found) outlineTaken(n int, i product.Image, p platform.Platform) *Taken {
	of, ok := i.PrebuiltOn(p)
	if !ok {
		return nil
	}
	t := &Taken{From: of.Text}
	for _, d := range f.images[n].taken {
		if platform.Same(d.Platform, p) && d.Manifest != nil {
			t.Digest = d.Manifest.Desc.Digest
			for _, l := range d.Manifest.Layers {
				t.Bytes += l.Size
			}
		}
	}
	return t
}

// used are the images that an image uses on one platform.
type used struct {
	base *base.Info // nil for none
	from []base.Info
}

// pinned returns a base as slipway.yaml or bases.lock.yaml pins it. Only a snapshot is built on
// stubs; a check of another release that asks no registry has them in place of bases, too.
func pinned(p *product.Product, i *base.Info) *lock.Base {
	out := lockBase(i)
	if out == nil || !out.Stub || p.Snapshot() {
		return out
	}
	out.Stub, out.Digest = false, v1.Hash{}
	if ref, err := name.NewDigest(out.Name); err == nil {
		out.Digest, _ = v1.NewHash(ref.DigestStr()) // it has been parsed
	}
	return out
}
