// Package store is the OCI image layout on disk that hands images from stage to stage (.slipway/).
//
// It follows https://github.com/opencontainers/image-spec/blob/main/image-layout.md: blobs/sha256/HEX, oci-layout and
// index.json, so that skopeo, crane and every other reader of layouts opens it too. Blobs are written once, under their digest,
// and only when they are complete. Beside the layout stand cache/, small JSON records that say which inputs made which blob,
// and work/, scratch space for compilers; both may be deleted at any time.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/renameio/v2/maybe"
)

// Store is an open layout. It is safe for concurrent use by goroutines; [Store.Lock] keeps other processes out.
type Store struct {
	dir string
	mu  sync.Mutex // guards index.json
}

// layoutVersion is the only one that the specification has.
const layoutVersion = "1.0.0"

// Open opens the layout at dir and makes it where it is missing. A directory that holds another layout version is an error.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, d := range []string{"blobs/sha256", "cache", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, fmt.Errorf("opening store: %w", err)
		}
	}
	s := &Store{dir: dir}
	marker := filepath.Join(dir, "oci-layout")
	switch b, err := os.ReadFile(marker); {
	case err == nil:
		var v struct {
			ImageLayoutVersion string `json:"imageLayoutVersion"`
		}
		if json.Unmarshal(b, &v) != nil || v.ImageLayoutVersion != layoutVersion {
			return nil, fmt.Errorf("opening store: %s does not say image layout %s: choose another directory, or delete this one", marker, layoutVersion)
		}
		return s, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("opening store: %w", err)
	}
	if err := s.writeIndex(nil); err != nil {
		return nil, err
	}
	if err := maybe.WriteFile(marker, []byte(`{"imageLayoutVersion":"`+layoutVersion+`"}`), 0o644); err != nil {
		return nil, fmt.Errorf("opening store: %w", err)
	}
	return s, nil
}

// Dir returns the layout's directory, absolute.
func (s *Store) Dir() string { return s.dir }

// Work returns a directory for a compiler's or packer's scratch files, made on demand: work/NAME.
func (s *Store) Work(name string) (string, error) {
	d := filepath.Join(s.dir, "work", filepath.FromSlash(name))
	if err := os.MkdirAll(d, 0o755); err != nil {
		return "", fmt.Errorf("making work directory: %w", err)
	}
	return d, nil
}

// Path returns where the blob of digest h is, or would be.
func (s *Store) Path(h v1.Hash) string {
	return filepath.Join(s.dir, "blobs", h.Algorithm, h.Hex)
}
