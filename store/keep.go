package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Kept is a file in the work directory whose digest the store has recorded: a compiled program or
// an unpacked archive.
type Kept struct {
	Path   string  `json:"path"` // relative to the store, with slashes
	Digest v1.Hash `json:"digest"`
	Size   int64   `json:"size"` // bytes
}

const kindKept = "kept"

// Keep syncs a file in the work directory to disk and records its digest. The file may be used
// only after that.
func (s *Store) Keep(ctx context.Context, path string) (Kept, error) {
	k, err := s.keep(ctx, path)
	if err != nil {
		return Kept{}, fmt.Errorf("keeping %s: %w", path, err)
	}
	return k, nil
}

func (s *Store) keep(ctx context.Context, path string) (Kept, error) {
	rel, err := s.rel(path)
	if err != nil {
		return Kept{}, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return Kept{}, err
	}
	defer f.Close()
	var synced errgroup.Group
	synced.Go(f.Sync)   // while it is read
	defer synced.Wait() //nolint:errcheck // for an end before the record
	h := sha256.New()
	n, err := io.CopyBuffer(h, progress.Reader(ctx, f, nil), make([]byte, 1<<20))
	if err != nil {
		return Kept{}, err
	}
	k := Kept{Path: rel, Digest: oci.Sum(h), Size: n}
	var old Kept
	if found, err := s.Recall(kindKept, rel, &old); err == nil && found && old == k {
		return k, nil
	}
	if err := synced.Wait(); err != nil {
		return Kept{}, err
	}
	return k, s.Record(kindKept, rel, k)
}

// KeepWritten gives a file that was written its place in the work directory, and records the digest
// and the size that its writer has computed, without waiting for the disk: the reader of a file
// that a power failure has damaged finds that out, and the file is made again.
func (s *Store) KeepWritten(f *disk.File, path string, digest v1.Hash, size int64) (Kept, error) {
	rel, err := s.rel(path)
	if err == nil {
		err = f.Place(path, disk.ModeFile)
	}
	k := Kept{Path: rel, Digest: digest, Size: size}
	if err == nil {
		err = s.Record(kindKept, rel, k)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("keeping %s: %w", path, err)
	}
	return k, nil
}

// Kept returns the record of [Store.Keep] for a file, and false without a record, or if the file
// has another size. Only [Store.OpenKept] compares the bytes.
func (s *Store) Kept(path string) (k Kept, ok bool) {
	rel, err := s.rel(path)
	if err != nil {
		return Kept{}, false
	}
	if found, err := s.Recall(kindKept, rel, &k); err != nil || !found || k.Path != rel {
		return Kept{}, false
	}
	fi, err := os.Stat(path)
	return k, err == nil && fi.Mode().IsRegular() && fi.Size() == k.Size
}

// OpenKept opens a kept file for reading. If its bytes are not those that were kept, the reader
// ends with a [*DamagedError].
func (s *Store) OpenKept(k Kept) (io.ReadCloser, error) {
	path := s.PathKept(k)
	return open(path, k.Digest, func(why string) error { return s.damaged(k.Path, path, why) })
}

// OpenKeptPart opens size bytes of a kept file, from offset on, as [Store.OpenKept] does; want is
// their digest.
func (s *Store) OpenKeptPart(path string, offset, size int64, want v1.Hash) (io.ReadCloser, error) {
	rel, err := s.rel(path)
	if err != nil {
		return nil, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	return newChecked(f, offset, size, want, func(string) error {
		return s.damaged(rel, path, fmt.Sprintf("has a file of %d bytes that lacks digest %s", size, want))
	}), nil
}

// PathKept returns the path of a kept file.
func (s *Store) PathKept(k Kept) string { return filepath.Join(s.dir, filepath.FromSlash(k.Path)) }

// ProveKept reads a file and reports whether it has the bytes that were kept.
func (s *Store) ProveKept(ctx context.Context, path string) (bool, error) {
	k, ok := s.Kept(path)
	if !ok {
		return false, nil
	}
	r, err := s.OpenKept(k)
	if err != nil {
		return false, err
	}
	defer r.Close()
	return progress.Drain(ctx, r, nil) == nil, ctx.Err()
}

func (s *Store) rel(path string) (string, error) {
	rel, err := filepath.Rel(s.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the store %s", path, s.dir)
	}
	return filepath.ToSlash(rel), nil
}
