package store

import (
	"encoding/json"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// maxManifest bounds an index, manifest or configuration in bytes; registries refuse manifests
// above 4 MiB.
const maxManifest = 8 << 20

// Image returns the image whose manifest is the blob of digest h. Its layers are read from disk,
// when they are asked for.
func (s *Store) Image(h v1.Hash) (v1.Image, error) {
	raw, err := s.ReadAll(h, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", h, err)
	}
	i := &image{store: s, raw: raw}
	if err := json.Unmarshal(raw, &i.manifest); err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", h, err)
	}
	if !i.manifest.MediaType.IsImage() {
		return nil, fmt.Errorf("reading manifest %s: its media type %q is no image's", h, i.manifest.MediaType)
	}
	return partial.CompressedToImage(i)
}

// Index returns the image index whose blob has digest h.
func (s *Store) Index(h v1.Hash) (v1.ImageIndex, error) {
	raw, err := s.ReadAll(h, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("reading index %s: %w", h, err)
	}
	i := &index{store: s, raw: raw}
	if err := json.Unmarshal(raw, &i.manifest); err != nil {
		return nil, fmt.Errorf("reading index %s: %w", h, err)
	}
	if !i.manifest.MediaType.IsIndex() {
		return nil, fmt.Errorf("reading index %s: its media type %q is no index's", h, i.manifest.MediaType)
	}
	return i, nil
}

// image implements partial.CompressedImageCore over the store.
type image struct {
	store    *Store
	raw      []byte
	manifest v1.Manifest
}

func (i *image) MediaType() (types.MediaType, error) { return i.manifest.MediaType, nil }
func (i *image) RawManifest() ([]byte, error)        { return i.raw, nil }

func (i *image) RawConfigFile() ([]byte, error) {
	return i.store.ReadAll(i.manifest.Config.Digest, maxManifest)
}

func (i *image) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	if h == i.manifest.Config.Digest {
		return &blob{i.store, i.manifest.Config}, nil
	}
	for _, d := range i.manifest.Layers {
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

// index implements v1.ImageIndex.
type index struct {
	store    *Store
	raw      []byte
	manifest v1.IndexManifest
}

func (i *index) MediaType() (types.MediaType, error)         { return i.manifest.MediaType, nil }
func (i *index) Digest() (v1.Hash, error)                    { return partial.Digest(i) }
func (i *index) Size() (int64, error)                        { return int64(len(i.raw)), nil }
func (i *index) RawManifest() ([]byte, error)                { return i.raw, nil }
func (i *index) Image(h v1.Hash) (v1.Image, error)           { return i.store.Image(h) }
func (i *index) ImageIndex(h v1.Hash) (v1.ImageIndex, error) { return i.store.Index(h) }
func (i *index) IndexManifest() (*v1.IndexManifest, error)   { return i.manifest.DeepCopy(), nil }
