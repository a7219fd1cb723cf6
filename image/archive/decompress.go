package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
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
