package storetest

import (
	"bytes"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/store"
)

// OpenIndex returns an image index of a store in the form that go-containerregistry writes to
// registries and layouts.
func OpenIndex(st *store.Store, h v1.Hash) (v1.ImageIndex, error) {
	t, err := oci.Read(v1.Descriptor{Digest: h}, st.Get, oci.Limits{})
	return &index{st, t}, err
}

// index implements v1.ImageIndex.
type index struct {
	store *store.Store
	tree  *oci.Tree
}

func (i *index) MediaType() (types.MediaType, error)         { return i.tree.Desc.MediaType, nil }
func (i *index) Digest() (v1.Hash, error)                    { return i.tree.Desc.Digest, nil }
func (i *index) Size() (int64, error)                        { return i.tree.Desc.Size, nil }
func (i *index) RawManifest() ([]byte, error)                { return i.tree.Raw, nil }
func (i *index) Image(h v1.Hash) (v1.Image, error)           { return i.store.Image(h) }
func (i *index) ImageIndex(h v1.Hash) (v1.ImageIndex, error) { return OpenIndex(i.store, h) }

func (i *index) IndexManifest() (*v1.IndexManifest, error) {
	return v1.ParseIndexManifest(bytes.NewReader(i.tree.Raw))
}
