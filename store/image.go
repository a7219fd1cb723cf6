package store

import (
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Image returns the image whose manifest has digest h. Its layers are read from disk when they
// are needed.
func (s *Store) Image(h v1.Hash) (v1.Image, error) {
	d := v1.Descriptor{Digest: h}
	raw, err := s.Get(d)
	if err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", h, err)
	}
	m, err := oci.Parse(d, raw)
	if err != nil {
		return nil, err
	}
	if m.Config == nil {
		return nil, fmt.Errorf("reading manifest %s: it is an index", h)
	}
	return partial.CompressedToImage(&image{store: s, manifest: m})
}

// image implements partial.CompressedImageCore over the store.
type image struct {
	store    *Store
	manifest *oci.Tree
}

func (i *image) MediaType() (types.MediaType, error) { return i.manifest.Desc.MediaType, nil }
func (i *image) RawManifest() ([]byte, error)        { return i.manifest.Raw, nil }

func (i *image) RawConfigFile() ([]byte, error) {
	return i.store.Get(*i.manifest.Config)
}

func (i *image) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	for _, d := range i.manifest.Blobs() {
		if d.Digest == h {
			return &blob{i.store, d}, nil
		}
	}
	return nil, fmt.Errorf("the image has no layer %s", h)
}

// blob implements partial.CompressedLayer.
type blob struct {
	store *Store
	desc  v1.Descriptor
}

func (b *blob) Digest() (v1.Hash, error)            { return b.desc.Digest, nil }
func (b *blob) Size() (int64, error)                { return b.desc.Size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return b.desc.MediaType, nil }
func (b *blob) Descriptor() (*v1.Descriptor, error) { return &b.desc, nil }
func (b *blob) Exists() (bool, error)               { return b.store.Has(b.desc.Digest), nil }
func (b *blob) Compressed() (io.ReadCloser, error)  { return b.store.Open(b.desc.Digest) }
