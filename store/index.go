package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/regular"
)

// refName is the annotation by which an image layout names its images
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md).
const refName = "org.opencontainers.image.ref.name"

// Tag gives the index or manifest d, whose blob is in the store, a name. A name of another digest
// is moved.
func (s *Store) Tag(name string, d v1.Descriptor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.readIndex()
	if err != nil {
		return err
	}
	d.Annotations = map[string]string{refName: name}
	d.Platform, d.Data = nil, nil
	at, found := slices.BinarySearchFunc(all, name, func(d v1.Descriptor, n string) int {
		return cmp.Compare(d.Annotations[refName], n)
	})
	switch {
	case found && reflect.DeepEqual(all[at], d):
		return nil
	case found:
		all[at] = d
	default:
		all = slices.Insert(all, at, d)
	}
	return s.writeIndex(all)
}

// Resolve returns the descriptor that has a name, and false if there is none.
func (s *Store) Resolve(name string) (v1.Descriptor, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.readIndex()
	if err != nil {
		return v1.Descriptor{}, false, err
	}
	at := slices.IndexFunc(all, func(d v1.Descriptor) bool { return d.Annotations[refName] == name })
	if at < 0 {
		return v1.Descriptor{}, false, nil
	}
	all[at].Annotations = nil
	return all[at], true, nil
}

func (s *Store) writeIndex(all []v1.Descriptor) error {
	if all == nil {
		all = []v1.Descriptor{}
	}
	b, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: all})
	if err != nil {
		return err
	}
	if err := s.write(indexName, b); err != nil {
		return fmt.Errorf("writing the store's index: %w", err)
	}
	return nil
}

func (s *Store) readIndex() ([]v1.Descriptor, error) {
	path := filepath.Join(s.dir, indexName)
	b, err := regular.Read(path)
	if err != nil {
		return nil, fmt.Errorf("reading the store's index: %w", err)
	}
	return parseIndex(path, b)
}

// parseIndex returns the descriptors that an index lists, sorted by name.
func parseIndex(path string, b []byte) ([]v1.Descriptor, error) {
	var m v1.IndexManifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if m.SchemaVersion != 2 {
		return nil, fmt.Errorf("reading %s: its schemaVersion is %d, not 2", path, m.SchemaVersion)
	}
	slices.SortFunc(m.Manifests, func(a, b v1.Descriptor) int {
		return cmp.Compare(a.Annotations[refName], b.Annotations[refName])
	})
	return m.Manifests, nil
}
