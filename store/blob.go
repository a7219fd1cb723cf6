package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Size returns the size of a blob in bytes. For a missing blob the error is fs.ErrNotExist.
func (s *Store) Size(h v1.Hash) (int64, error) {
	fi, err := os.Stat(s.holder(h).Path(h))
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

// Has reports whether the store has a blob.
func (s *Store) Has(h v1.Hash) bool {
	_, err := s.Size(h)
	return err == nil
}

// HasAll reports whether the store has a blob in its full size. One of another size is damaged
// and is to be made again.
func (s *Store) HasAll(h v1.Hash, size int64) bool {
	n, err := s.Size(h)
	return err == nil && n == size
}

// Blob is a blob that is being written to the store. Write to it, then call Commit or Abort.
// Abort does nothing after Commit, so it can be deferred.
type Blob struct {
	store *Store
	f     *disk.File
	hash  hash.Hash
	size  int64
}

// Create begins a blob whose digest is not known yet.
func (s *Store) Create() (*Blob, error) {
	f, err := disk.Create(s.Temp())
	if err != nil {
		return nil, fmt.Errorf("writing blob: %w", err)
	}
	return &Blob{store: s, f: f, hash: sha256.New()}, nil
}

// Write appends to the blob.
func (b *Blob) Write(p []byte) (int, error) {
	n, err := b.f.Write(p)
	b.hash.Write(p[:n])
	b.size += int64(n)
	return n, err
}

// Size returns how many bytes were written.
func (b *Blob) Size() int64 { return b.size }

// Digest returns the sha256 digest of the bytes written so far.
func (b *Blob) Digest() v1.Hash { return oci.Sum(b.hash) }

// Commit syncs the blob to disk, gives it its final name and returns its sha256 digest and its
// size in bytes. An existing blob of that digest, which may be damaged, is replaced.
func (b *Blob) Commit() (v1.Hash, int64, error) {
	h := b.Digest()
	if err := b.f.Commit(b.store.Path(h), disk.ModeFile); err != nil {
		b.Abort()
		return v1.Hash{}, 0, fmt.Errorf("writing blob: %w", err)
	}
	return h, b.size, nil
}

// Abort drops a blob that was not committed.
func (b *Blob) Abort() { b.f.Abort() }

// Put copies r into the store as the blob h, unless the store has it. Bytes that do not match the
// digest are an error, and nothing is kept. Put does not look for damage in a blob that the store
// has: [Store.Check] does.
func (s *Store) Put(h v1.Hash, r io.Reader) error {
	if s.Has(h) {
		return nil
	}
	b, err := s.Create()
	if err != nil {
		return err
	}
	defer b.Abort()
	if _, err := io.Copy(b, r); err != nil {
		return fmt.Errorf("writing blob %s: %w", h, err)
	}
	if got := b.Digest(); got != h {
		return fmt.Errorf("blob %s arrived with digest %s", h, got)
	}
	_, _, err = b.Commit()
	return err
}

// PutBytes stores a small blob and returns its digest. An existing blob of that digest is replaced
// if its bytes are others.
func (s *Store) PutBytes(p []byte) (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(p))
	if err != nil {
		return v1.Hash{}, err
	}
	if old, err := regular.Read(s.Path(h)); err == nil && bytes.Equal(old, p) {
		return h, nil
	}
	b, err := s.Create()
	if err != nil {
		return v1.Hash{}, err
	}
	defer b.Abort()
	if _, err := b.Write(p); err != nil {
		return v1.Hash{}, fmt.Errorf("writing blob %s: %w", h, err)
	}
	_, _, err = b.Commit()
	return h, err
}

// missing reports whether err means that the store does not have a blob.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Room checks that the disk of the store has room for blobs, by the sizes that their descriptors
// list: before one of them is fetched, since a registry may list a size that never ends.
func (s *Store) Room(blobs ...v1.Descriptor) error {
	var all int64
	for _, b := range blobs {
		if b.Size < 0 || all > math.MaxInt64-b.Size {
			return fmt.Errorf("blob %s: the sizes of all blobs are more than any disk has", b.Digest)
		}
		all += b.Size
	}
	free, err := disk.Free(s.Dir())
	if err != nil || uint64(all) <= free {
		return nil //nolint:nilerr // where the file system does not report it, writing does
	}
	return fmt.Errorf("the blobs to fetch have %s, and the disk of %s has room for %s: "+
		"check whether an image can be that large, or make room",
		progress.Size(all), s.Dir(), progress.Size(int64(min(free, math.MaxInt64))))
}
