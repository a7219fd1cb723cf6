package audit

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/lint"
)

// memory has what a reader has read, and what it is reading.
type memory struct {
	tops      once.Map[*remote.Descriptor] // by reference
	images    once.Map[lint.Index]         // by reference
	documents once.Map[[]byte]             // by repository and digest
	evidence  once.Map[evidence]           // by the index
	tags      Tags
}

// once returns a function that reads each document of a repository once.
func (m *memory) once(repo string, get oci.Get) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		return m.documents.Do(repo+"@"+d.Digest.String(), func() ([]byte, error) { return get(d) })
	}
}
