package audit

import (
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// memory has what a reader has read, and what it is reading.
type memory struct {
	mu        sync.Mutex
	tops      map[string]func() (*remote.Descriptor, error) // by reference
	images    map[string]func() lint.Index                  // by reference
	documents map[string]func() ([]byte, error)             // by repository and digest
	tags      Tags
	evidence  evidence
}

func newMemory() *memory {
	return &memory{
		tops:      map[string]func() (*remote.Descriptor, error){},
		images:    map[string]func() lint.Index{},
		documents: map[string]func() ([]byte, error){},
	}
}

// top reads what a reference names, unless that was done.
func (m *memory) top(ref name.Reference, get func() (*remote.Descriptor, error)) (*remote.Descriptor, error) {
	m.mu.Lock()
	do, ok := m.tops[ref.Name()]
	if !ok {
		do = sync.OnceValues(get)
		m.tops[ref.Name()] = do
	}
	m.mu.Unlock()
	return do()
}

// image reads an image, unless that was done.
func (m *memory) image(key string, read func() lint.Index) lint.Index {
	m.mu.Lock()
	do, ok := m.images[key]
	if !ok {
		do = sync.OnceValue(read)
		m.images[key] = do
	}
	m.mu.Unlock()
	return do()
}

// once returns a function that reads each document of a repository once.
func (m *memory) once(repo string, get oci.Get) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		key := repo + "@" + d.Digest.String()
		m.mu.Lock()
		do, ok := m.documents[key]
		if !ok {
			do = sync.OnceValues(func() ([]byte, error) { return get(d) })
			m.documents[key] = do
		}
		m.mu.Unlock()
		return do()
	}
}
