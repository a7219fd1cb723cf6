package layer

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/store"
)

// Bytes returns content that is held in memory, for small files.
func Bytes(b []byte) Content {
	h, n, _ := v1.SHA256(bytes.NewReader(b)) // reading from memory cannot fail
	return Content{Digest: h, Size: n, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// settled is how old a file must be before its size and time stand for its content: a second write within the clock's tick would
// otherwise go unseen.
const settled = 2 * time.Second

// File returns the content of the file at path. It is read once to know its digest, which the store remembers for as long
// as the file keeps its size and modification time.
func File(st *store.Store, path string) (Content, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return Content{}, err
	}
	if !fi.Mode().IsRegular() {
		return Content{}, fmt.Errorf("%s is no regular file", path)
	}
	c := Content{Size: fi.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	key := fmt.Sprintf("%s %d %d", path, fi.Size(), fi.ModTime().UnixNano())
	if found, err := st.Recall("file", key, &c.Digest); err != nil || found {
		return c, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	if c.Digest, _, err = v1.SHA256(f); err != nil {
		return Content{}, fmt.Errorf("hashing %s: %w", path, err)
	}
	if time.Since(fi.ModTime()) < settled {
		return c, nil
	}
	return c, st.Record("file", key, c.Digest)
}
