package airgap

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// A blob is hashed in pieces, each as large as a block of zstd may become, and so many of them
// are in memory.
const (
	piece  = 128 << 10
	pieces = 4
)

// digestOf reads to the end and returns the digest of what it read. It reads on while it hashes,
// since both take their time: so one large blob keeps two cores busy.
func digestOf(r io.Reader) (v1.Hash, error) {
	h := sha256.New()
	full, free, done := make(chan []byte, pieces), make(chan []byte, pieces), make(chan struct{})
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
		if n < pieces {
			b = make([]byte, piece)
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
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}, nil
}

// fill reads until b is full or there is an error, which it passes on as it is: io.EOF is the
// end, all else is damage.
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
