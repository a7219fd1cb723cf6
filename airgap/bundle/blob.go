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

// Open opens any blob, without decompressing the bytes before a layer. The last Read reports
// bytes that do not have the digest.
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

// checked compares the bytes that are read with their digest.
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

// A blob is hashed in chunks, each as large as a block of zstd may become; so many of them are in
// memory.
const (
	chunkSize = 128 << 10
	chunks    = 4
)

// digestOf reads r to its end and returns the digest. Another goroutine hashes meanwhile, so that
// one large blob keeps two cores busy.
func digestOf(r io.Reader) (v1.Hash, error) {
	h := sha256.New()
	full, free, done := make(chan []byte, chunks), make(chan []byte, chunks), make(chan struct{})
	go func() {
		defer close(done)
		for b := range full {
			h.Write(b)
			free <- b
		}
	}()
	var err error
	for n := 0; err == nil; n++ {
		var b []byte
		if n < chunks {
			b = make([]byte, chunkSize)
		} else {
			b = <-free
		}
		b, err = fill(r, b[:cap(b)])
		full <- b
	}
	close(full)
	<-done
	if !errors.Is(err, io.EOF) {
		return v1.Hash{}, err
	}
	return oci.Sum(h), nil
}

// fill reads until b is full or there is an error, which it returns unchanged: io.EOF is the end.
func fill(r io.Reader, b []byte) ([]byte, error) {
	n := 0
	for n < len(b) {
		m, err := r.Read(b[n:])
		n += m
		if err != nil {
			return b[:n], err
		}
	}
	return b, nil
}
