package store

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Get returns the index, manifest or configuration that d describes. It is an [oci.Get].
func (s *Store) Get(d v1.Descriptor) ([]byte, error) { return s.ReadAll(d.Digest, oci.MaxConfig) }

// Tree reads the image that d describes, and reports whether all its parts are in the store in
// full size. If a manifest is missing, the tree is nil.
func (s *Store) Tree(d v1.Descriptor) (t *oci.Tree, complete bool, err error) {
	t, err = oci.Read(d, s.Get, oci.Limits{})
	if Missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for m := range t.All() {
		for _, b := range m.Blobs() {
			if here, err := s.Check(b); !here || err != nil {
				return t, false, err
			}
		}
	}
	return t, true, nil
}
