// Package store is the OCI image layout on disk that hands images from stage to stage (.slipway/).
//
// It follows https://github.com/opencontainers/image-spec/blob/main/image-layout.md:
// blobs/sha256/HEX, oci-layout and index.json, so that skopeo, crane and every other reader of
// layouts opens it too. Blobs are written once, under their digest, and only when they are
// complete. Beside the layout stand cache/, small JSON records that say which inputs made which
// blob, and work/, scratch space for compilers; both may be deleted at any time. What is being
// written is in temp/, which is emptied by whoever locks the store.
//
// Nothing in the directory is believed unchecked. Blobs are compared with their digests while they
// are read, files in work/ with the digests that [Store.Keep] recorded, and records with a checksum
// of their own. What does not fit is a [*DamagedError], or is made again.
package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Store is an open layout. It is safe for concurrent use by goroutines; [Store.Lock] keeps other
// processes out.
type Store struct {
	dir    string
	mended []string   // what Open made anew
	mu     sync.Mutex // guards index.json
}

func (s *Store) makeDirs() error {
	for _, d := range []string{"blobs/sha256", "cache", "work", "temp"} {
		if err := disk.MkdirAll(filepath.Join(s.dir, d)); err != nil {
			return err
		}
	}
	return nil
}

// ignore keeps the store out of git, unless something else is in the same directory.
func (s *Store) ignore() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "bin" && !slices.Contains(made, e.Name()) {
			return nil
		}
	}
	return disk.Ignore(s.dir)
}

// Dir returns the layout's directory, absolute.
func (s *Store) Dir() string { return s.dir }

// Work returns a directory for a compiler's or packer's scratch files, made on demand: work/NAME.
func (s *Store) Work(name string) (string, error) {
	d := filepath.Join(s.dir, "work", filepath.FromSlash(name))
	if err := disk.MkdirAll(d); err != nil {
		return "", fmt.Errorf("making work directory: %w", err)
	}
	return d, nil
}

// Temp returns the directory of what is being written, which programs that Slipway starts may use,
// too, such as the go command by GOTMPDIR. Whoever locks the store empties it.
func (s *Store) Temp() string { return filepath.Join(s.dir, "temp") }

// write writes a small file of the store, in place of one that has its name.
func (s *Store) write(name string, data []byte) error {
	f, err := disk.Create(s.Temp())
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit(filepath.Join(s.dir, name), disk.ModeFile)
}

// Path returns where the blob of digest h is, or would be.
func (s *Store) Path(h v1.Hash) string {
	return filepath.Join(s.dir, "blobs", h.Algorithm, h.Hex)
}
