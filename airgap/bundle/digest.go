package bundle

import (
	"crypto/sha256"
	"errors"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// A blob is hashed in chunks, each as large as a block of zstd may become; so many of them are in
// memory.
const (
	chunkSize = 128 << 10
	chunks    = 4
)

// digestOf reads r to its end and returns the digest. It reads while another goroutine hashes, so
// that one large blob keeps two cores busy.
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
