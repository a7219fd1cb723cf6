package archive

import (
	"errors"
	"io"
)

// An archive of more than Unsuspected bytes that unpacks to more than MaxRatio times its size is
// a bomb. Real ones have a ratio of 3 to 20, and gzip reaches 1000.
const (
	Unsuspected = 256 << 20
	MaxRatio    = 100
)

// maxBytes bounds what an archive may unpack to.
const maxBytes = 16 << 30

// errTooLarge is that of an archive beyond maxBytes, and errSuspect that of a bomb.
var (
	errTooLarge = errors.New("it unpacks to more than 16 GiB: unpack it yourself, and name the program in it as file")
	errSuspect  = errors.New("it unpacks to more than 256 MiB, and to more than 100 times its size: " +
		"if that is right, unpack it yourself, and name the program in it as file")
)

// bounded is a reader of what an archive unpacks to.
type bounded struct {
	r    io.Reader
	left int64
	err  error // that of more
}

// newBounded bounds what an archive of some bytes unpacks to.
func newBounded(r io.Reader, size int64) *bounded {
	if size < maxBytes/MaxRatio {
		return &bounded{r, max(Unsuspected, size*MaxRatio), errSuspect}
	}
	return &bounded{r, maxBytes, errTooLarge}
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, b.err
	}
	return n, err
}
