package bundle

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Has reports whether the bundle has a blob. A delta lacks some layers of its images.
func (b *Bundle) Has(h v1.Hash) bool {
	_, layer := b.layers[h]
	_, metadata := b.head.blobs[h]
	return layer || metadata
}

// OpenBlob opens a blob of the first of several bundles that has it. If none has, the error wraps
// [oci.ErrAbsent].
func OpenBlob(h v1.Hash, all ...*Bundle) (io.ReadCloser, error) {
	for _, b := range all {
		if b.Has(h) {
			return b.Open(h)
		}
	}
	return nil, fmt.Errorf("%s is %w", h, oci.ErrAbsent)
}

// Open opens any blob. It does not decompress what precedes a layer. The last Read reports bytes
// that do not have the digest.
func (b *Bundle) Open(h v1.Hash) (io.ReadCloser, error) {
	if raw, ok := b.head.blobs[h]; ok {
		return io.NopCloser(bytes.NewReader(raw)), nil
	}
	p, ok := b.layers[h]
	if !ok {
		if b.contents != nil && b.contents.Needs.Lacks(h) {
			return nil, fmt.Errorf("%s is not in the bundle, which is sparse: %s", h, b.contents.Needs)
		}
		return nil, fmt.Errorf("%s is not in the bundle", h)
	}
	s, err := b.from(p.off)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", h, readError(err))
	}
	tr := newBlobReader(s, b.contents.Created)
	got, size, err := tr.next()
	if err == nil && (got != h || size != p.size) {
		err = damage("it has %s of %d bytes where %s of %d bytes is expected", got, size, h, p.size)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("reading %s: %w", h, readError(err))
	}
	return &checked{r: tr, Closer: s, want: h, hash: sha256.New()}, nil
}

// checked compares what is read with its digest.
type checked struct {
	r io.Reader
	io.Closer
	want v1.Hash
	hash hash.Hash
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	if errors.Is(err, io.EOF) {
		if got := oci.Sum(c.hash); got != c.want {
			return n, damage("the bytes of blob %s have the digest %s", c.want, got)
		}
	} else if err != nil {
		err = fmt.Errorf("reading %s: %w", c.want, readError(err))
	}
	return n, err
}
