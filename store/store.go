// Package store is the OCI image layout on disk that passes images from stage to stage
// (.slipway/).
//
// The layout follows https://github.com/opencontainers/image-spec/blob/main/image-layout.md:
// blobs/sha256/HEX, oci-layout and index.json, so that skopeo, crane and other readers of layouts
// can open it. Blobs are written once, under their digest, and only when they are complete. Next
// to the layout there are cache/, small JSON records of which inputs made which blob; work/,
// scratch space for compilers; and temp/, for files that are being written. The first two may be
// deleted at any time; locking the store empties the third.
//
// Everything is verified when it is read: blobs by their digests, files in work/ by the digests
// that [Store.Keep] recorded, and records by their checksums. A mismatch is a [*DamagedError], or
// the file is rebuilt.
package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Store is an open layout. Several goroutines may use it; [Store.Lock] keeps other processes out.
type Store struct {
	dir    string
	mended []string   // files that Open replaced
	behind *Store     // is read for what this one lacks; nil for none
	mu     sync.Mutex // guards index.json
}

// ReadThrough lets the store find blobs and records that it lacks in the store at dir, which may be
// missing. Nothing is made, mended or locked there: what another process removes meanwhile is not
// there. Files in work/ are its own.
func (s *Store) ReadThrough(dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil && isStore(dir) {
		s.behind = &Store{dir: dir}
	}
	return err
}

// holder returns the store that has a blob: this store, or that behind it.
func (s *Store) holder(h v1.Hash) *Store {
	if s.behind == nil {
		return s
	}
	if _, err := os.Stat(s.Path(h)); missing(err) {
		return s.behind
	}
	return s
}

// Dir returns the layout's absolute directory.
func (s *Store) Dir() string { return s.dir }

// WorkPath returns the path of work/NAME, whether it exists or not.
func (s *Store) WorkPath(name string) string {
	return filepath.Join(s.dir, "work", filepath.FromSlash(name))
}

// Work returns work/NAME, a directory for scratch files of a compiler or packer, and makes it.
func (s *Store) Work(name string) (string, error) {
	d := s.WorkPath(name)
	if err := disk.MkdirAll(d); err != nil {
		return "", fmt.Errorf("making work directory: %w", err)
	}
	return d, nil
}

// Temp returns the directory of files that are being written. Programs that Slipway starts may
// use it, too, such as the go command by GOTMPDIR. Locking the store empties it.
func (s *Store) Temp() string { return filepath.Join(s.dir, "temp") }

// write writes or replaces a small file of the store.
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

// Path returns the path of the blob of digest h, whether it exists or not.
func (s *Store) Path(h v1.Hash) string {
	return filepath.Join(s.dir, "blobs", h.Algorithm, h.Hex)
}

// Lock keeps other processes out of the store until the returned function is called, and removes
// unfinished files of processes that were killed. While another process has the lock, Lock waits,
// and reports that once by say.
func (s *Store) Lock(ctx context.Context, say disk.Say) (unlock func(), err error) {
	d, err := disk.Lock(ctx, s.dir, say)
	if err != nil {
		return nil, err
	}
	s.sweep()
	return func() {
		s.sweep() // an interrupted program, such as the go command, may leave files
		d.Unlock()
	}, nil
}

// sweep empties the directory of temporary files, which [Open] has made.
func (s *Store) sweep() {
	left, _ := os.ReadDir(s.Temp())
	for _, e := range left {
		os.RemoveAll(filepath.Join(s.Temp(), e.Name()))
	}
}

// Is reports whether a directory is a store.
func Is(dir string) bool {
	for _, name := range []string{"oci-layout", "cache", "work"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
