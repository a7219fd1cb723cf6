package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// missingError is fs.ErrNotExist for a blob.
type missingError struct {
	digest v1.Hash
	dir    string // of the store
}

func (e *missingError) Error() string {
	return fmt.Sprintf("blob %s is not in the store %s: build and publish again", e.digest, e.dir)
}

func (e *missingError) Unwrap() error { return fs.ErrNotExist }

// Open opens a blob for reading. For a missing blob the error is fs.ErrNotExist. The reader
// hashes the bytes; if they do not match the digest, it ends with a [*DamagedError] instead of
// io.EOF.
func (s *Store) Open(h v1.Hash) (io.ReadCloser, error) {
	in := s.holder(h)
	r, err := open(in.Path(h), h, func(why string) error { return in.damagedBlob(h, why) })
	if missing(err) {
		return nil, &missingError{h, s.dir}
	}
	return r, err
}

// Check reports whether the blob that a descriptor names is in the store in full size, without
// reading the bytes, except of a blob of another size, to distinguish a [*DamagedError] from a
// wrong descriptor.
func (s *Store) Check(d v1.Descriptor) (bool, error) {
	n, err := s.Size(d.Digest)
	switch {
	case missing(err):
		return false, nil
	case err != nil:
		return false, err
	case n == d.Size:
		return true, nil
	}
	if err := s.Prove(context.Background(), d.Digest); err != nil {
		return false, err
	}
	return false, fmt.Errorf("blob %s has %d bytes, its descriptor says %d: the manifest that lists it is wrong",
		d.Digest, n, d.Size)
}

// Missing returns those of the blobs that the store does not have, by [Store.Check].
func (s *Store) Missing(blobs ...v1.Descriptor) (all []v1.Descriptor, err error) {
	for _, d := range blobs {
		switch here, err := s.Check(d); {
		case err != nil:
			return nil, err
		case !here:
			all = append(all, d)
		}
	}
	return all, nil
}

// Prove reads a blob and compares it with its digest.
func (s *Store) Prove(ctx context.Context, h v1.Hash) error {
	r, err := s.Open(h)
	if err != nil {
		return err
	}
	defer r.Close()
	return progress.Drain(ctx, r, nil)
}

// open opens a file whose bytes must have a digest; damaged makes the error if they do not.
func open(path string, want v1.Hash, damaged func(why string) error) (io.ReadCloser, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return newChecked(f, 0, fi.Size(), want, damaged), nil
}

// checked is a file, or a part of one, whose bytes are compared with their digest at the end. Its
// ReadAt does not compare, for formats that are not read from begin to end.
type checked struct {
	part    *io.SectionReader
	f       *os.File
	want    v1.Hash
	hash    hash.Hash
	damaged func(why string) error
}

func newChecked(f *os.File, offset, size int64, want v1.Hash, damaged func(why string) error) *checked {
	return &checked{io.NewSectionReader(f, offset, size), f, want, sha256.New(), damaged}
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.part.Read(p)
	c.hash.Write(p[:n])
	if errors.Is(err, io.EOF) {
		if got := oci.Sum(c.hash); got != c.want {
			return n, c.damaged("has digest " + got.String())
		}
	}
	return n, err
}

// Compares reports whether a read to the end compares the bytes with a digest.
func (c *checked) Compares(h v1.Hash) bool { return h == c.want }

func (c *checked) ReadAt(p []byte, off int64) (int, error) { return c.part.ReadAt(p, off) }

func (c *checked) Close() error { return c.f.Close() }

// Get returns the index, manifest or configuration that d describes, and compares it with the
// digest. A blob of more than [oci.MaxConfig] bytes is an error. The method is an [oci.Get].
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
		if missing, err := s.Missing(m.Blobs()...); err != nil || len(missing) > 0 {
			return t, false, err
		}
	}
	return t, true, nil
}
