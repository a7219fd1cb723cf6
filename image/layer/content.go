package layer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// Bytes returns content in memory, for small files.
func Bytes(b []byte) Content {
	h, n, _ := v1.SHA256(bytes.NewReader(b)) // reading from memory cannot fail
	return Content{Digest: h, Size: n, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// settled is how long ago a file must have been touched before its size and times identify its
// content: a second write within the clock's tick would otherwise go unseen.
const settled = 2 * time.Second

const kindFile = "file"

// File returns the content of the file at path. The store remembers its digest for as long as
// nothing has touched the file: by size, modification time and, where the system reports them,
// change time and inode, since tools that make reproducible files set the modification time to a
// constant. A reader that finds other bytes ends with an error.
func File(st *store.Store, path string) (Content, error) {
	key, size, rests, err := Identity(path)
	if err != nil {
		return Content{}, err
	}
	c := Content{Size: size}
	c.Open = func() (io.ReadCloser, error) {
		f, err := regular.Open(path)
		if err != nil {
			return nil, err
		}
		return &unchanged{f: f, want: c.Digest, hash: sha256.New(), forget: func() { st.Forget(kindFile, key) }}, nil
	}
	if found, err := st.Recall(kindFile, key, &c.Digest); err != nil || found {
		return c, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	if c.Digest, _, err = v1.SHA256(f); err != nil {
		return Content{}, fmt.Errorf("hashing %s: %w", path, err)
	}
	if !rests {
		return c, nil
	}
	return c, st.Record(kindFile, key, c.Digest)
}

// Identity returns a text that is another one when something has touched the file at path, and its
// size in bytes. rests means that nothing touched it just now: only then does the text identify the
// file's content.
func Identity(path string) (key string, size int64, rests bool, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", 0, false, err
	}
	if !fi.Mode().IsRegular() {
		return "", 0, false, fmt.Errorf("%s is not a regular file", path)
	}
	inode, changed := disk.Identity(fi)
	key = fmt.Sprintf("%s %d %d %d %d", path, fi.Size(), fi.ModTime().UnixNano(), changed.UnixNano(), inode)
	return key, fi.Size(), time.Since(fi.ModTime()) >= settled && time.Since(changed) >= settled, nil
}

// unchanged is a file that still has the bytes that were hashed. Where it has not, its record is
// dropped, so that the next run hashes it again.
type unchanged struct {
	f      *os.File
	want   v1.Hash
	hash   hash.Hash
	forget func()
}

func (u *unchanged) Read(p []byte) (int, error) {
	n, err := u.f.Read(p)
	u.hash.Write(p[:n])
	if errors.Is(err, io.EOF) && oci.Sum(u.hash) != u.want {
		u.forget()
		return n, fmt.Errorf("%s has digest %s, and had %s when it was hashed: "+
			"run again, and do not change files while they are read", u.f.Name(), oci.Sum(u.hash), u.want)
	}
	return n, err
}

// Compares reports whether a read to the end compares the bytes with a digest.
func (u *unchanged) Compares(h v1.Hash) bool { return h == u.want }

// ReadAt reads without comparing, for formats that are not read from their begin to their end.
func (u *unchanged) ReadAt(p []byte, off int64) (int, error) { return u.f.ReadAt(p, off) }

func (u *unchanged) Close() error { return u.f.Close() }
