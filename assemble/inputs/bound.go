package inputs

import (
	"errors"
	"fmt"
	"io"
)

// Bounds on an archive. A source text becomes a third or a tenth by gzip: an archive that unpacks
// to more than unsuspected bytes and maxRatio times its size is made to fill a disk.
const (
	maxBytes    = 16 << 30
	maxEntries  = 1 << 20
	unsuspected = 256 << 20
	maxRatio    = 100
)

var errTooLarge = fmt.Errorf("the inputs have more than %d GiB, which others could not build again: "+
	"name files that are not needed in .dockerignore", maxBytes>>30)

// compressed counts the bytes that are read of an archive.
type compressed struct {
	r io.Reader
	n int64
}

func (c *compressed) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded is the tar of an archive.
type bounded struct {
	r    io.Reader
	from *compressed
	n    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	switch {
	case b.n > maxBytes:
		return n, fmt.Errorf("it unpacks to more than %d GiB", maxBytes>>30)
	case b.n > unsuspected && b.n/maxRatio > b.from.n:
		return n, errors.New("it unpacks to more than 100 times its size, as no source text does")
	}
	return n, err
}
