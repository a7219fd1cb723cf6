package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// The compressions that docker knows. Layers have the first two.
const (
	Gzip   = "gzip"
	Zstd   = "zstd"
	inBzip = "bzip2"
	inXz   = "xz"
)

// HeadSize is how many bytes of a file tell its compression.
const HeadSize = 6

// Compression returns the compression of a file that begins with head, or "" for none.
func Compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 0x08}):
		return Gzip
	case bytes.HasPrefix(head, []byte("BZh")):
		return inBzip
	case bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return inXz
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return Zstd
	}
	return ""
}

// Decompress decompresses a reader, whichever of the compressions that docker knows it has,
// or none.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch Compression(head) {
	case Gzip:
		return gzip.NewReader(b)
	case inBzip:
		return io.NopCloser(bzip2.NewReader(b)), nil
	case inXz:
		x, err := xz.NewReader(b, xz.DefaultDictMax)
		return io.NopCloser(x), err
	case Zstd:
		z, err := zstd.NewReader(b, zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(b), nil
}

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

// damaged is an error of reading in plain words.
type damaged struct {
	what string
	error
}

// Error returns the reason, and what to do.
func (d damaged) Error() string { return d.what + ": copy or build it again" }

// Unwrap returns the error that was met.
func (d damaged) Unwrap() error { return d.error }

// Damaged says in plain words that the bytes of an archive are the reason for an error of reading
// it, and what to do. Other errors are returned as they are.
func Damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &damaged{}):
	case errors.Is(err, io.ErrUnexpectedEOF):
		return damaged{"it ends in the middle", err}
	case errors.Is(err, tar.ErrHeader):
		return damaged{"it is not a tar archive, or a damaged one", err}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return damaged{"its gzip is damaged", err}
	}
	return err
}
