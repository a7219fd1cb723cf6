package build

import (
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Manifest returns the digest of the manifest that a release which is made again has for a
// platform of an image, as its builder made it; false if the release has none.
type Manifest func(image string, p platform.Platform) (v1.Hash, bool)

// takeShipped takes an image in a file from the release that is made again: the file itself is on
// the machine that made it. What remains to be compared is the digest.
func (b *Builder) takeShipped(i product.Image, t product.PrebuiltImage) (taken, error) {
	h, ok := b.shipped(i.Name, t.Platform)
	if !ok {
		return taken{}, fmt.Errorf("the release has no image that was taken from %s", t.Text)
	}
	raw, err := b.bases.Shipped.Get(v1.Descriptor{Digest: h})
	if err != nil {
		return taken{}, b.notShipped(h, t, err)
	}
	m, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		return taken{}, err
	}
	for _, d := range m.Blobs() {
		if b.store.HasAll(d.Digest, d.Size) {
			continue
		}
		from, err := b.bases.Shipped(d.Digest)
		if err == nil {
			err = errors.Join(b.store.Put(d.Digest, from), from.Close())
		}
		if err != nil {
			return taken{}, b.notShipped(d.Digest, t, err)
		}
	}
	if _, err := b.store.PutBytes(raw); err != nil {
		return taken{}, err
	}
	return b.inStore(h, t, nil)
}

// notShipped is the error for a part of an image that is not in the release.
func (b *Builder) notShipped(h v1.Hash, t product.PrebuiltImage, err error) error {
	return fmt.Errorf("%s of %s, which is taken as it is: %w: name the directory that has the bundles of the release",
		h, t.Text, err)
}
