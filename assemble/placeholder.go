package assemble

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Placeholder returns a lock as far as it is known before anything is built: without names of
// images, and with made-up digests, by which rendered manifests can be checked. The lock must not
// be written anywhere.
func Placeholder(p *product.Product, trees map[string]source.Tree) *lock.Lock {
	var images []lock.Image
	for _, i := range p.Images {
		image := lock.Image{
			Name: i.Name, Kind: i.Kind, MediaType: types.OCIImageIndex,
			Digest: PlaceholderDigest(i.Name),
		}
		for _, on := range i.Platforms {
			digest := PlaceholderDigest(i.Name + " " + on.String())
			child := lock.Child{
				Platform: on, OSVersion: on.OSVersion, MediaType: types.OCIManifestSchema1,
				Digest: digest, Config: digest,
			}
			if child.ExtraOS = kinds[i.Kind].systems; child.ExtraOS != nil {
				image.MediaType = child.MediaType
			}
			image.Children = append(image.Children, child)
		}
		images = append(images, image)
	}
	return &lock.Lock{
		SchemaVersion: lock.SchemaVersion,
		Release: lock.Release{
			Name: p.Name, Version: p.Version, Created: Input{Product: p, Trees: trees}.created(),
			Sources: lockSources(p, trees),
		},
		Images: images,
	}
}

// PlaceholderDigest makes up the digest of the image that a text names.
func PlaceholderDigest(text string) v1.Hash {
	return layer.Bytes([]byte("placeholder for " + text)).Digest
}
