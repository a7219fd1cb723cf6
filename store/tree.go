package store

import (
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Get returns the index, manifest or configuration that d describes, and compares it with the
// digest. A blob of more than [oci.MaxConfig] bytes is an error. It is an [oci.Get].
func (s *Store) Get(d v1.Descriptor) ([]byte, error) {
	f, err := s.Open(d.Digest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, oci.MaxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(b) > oci.MaxConfig {
		return nil, fmt.Errorf("blob %s has more than %d bytes", d.Digest, oci.MaxConfig)
	}
	return b, nil
}

// Tree reads the image that d describes, and reports whether all its parts are in the store in
// full size. If a manifest is missing, the tree is nil.
func (s *Store) Tree(d v1.Descriptor) (t *oci.Tree, complete bool, err error) {
	t, err = oci.Read(d, s.Get, oci.Limits{})
	if missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for m := range t.All() {
		if lacks, err := s.Missing(m.Blobs()); len(lacks) > 0 || err != nil {
			return t, false, err
		}
	}
	return t, true, nil
}

// Missing returns those of some blobs that the store lacks, by [Store.Check].
func (s *Store) Missing(blobs []v1.Descriptor) (lacks []v1.Descriptor, err error) {
	for _, b := range blobs {
		switch here, err := s.Check(b); {
		case err != nil:
			return nil, err
		case !here:
			lacks = append(lacks, b)
		}
	}
	return lacks, nil
}
