package deflate

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// header is that of a gzip stream without a name and a time, by an unknown system.
var header = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// Gzip compresses a stream to gzip (RFC 1952). It must be closed.
type Gzip struct {
	*Writer

	to   io.Writer
	sum  uint32
	size uint32 // of the stream, modulo 2^32
}

// NewGzip returns a writer that compresses to the begin of a blob. What is known may be nil.
func NewGzip(to io.Writer, known *Known) (*Gzip, error) {
	if _, err := to.Write(header); err != nil {
		return nil, err
	}
	g := &Gzip{Writer: NewWriter(to, known), to: to}
	g.At(int64(len(header)))
	return g, nil
}

// Write compresses p. An error is one of the writer below, of this call or an earlier one.
func (g *Gzip) Write(p []byte) (int, error) {
	g.sum = crc32.Update(g.sum, crc32.IEEETable, p)
	g.size += uint32(len(p))
	return g.Writer.Write(p)
}

// Close ends the stream, and returns the first error.
func (g *Gzip) Close() error {
	if err := g.Writer.Close(); err != nil {
		return err
	}
	trailer := binary.LittleEndian.AppendUint32(nil, g.sum)
	_, err := g.to.Write(binary.LittleEndian.AppendUint32(trailer, g.size))
	return err
}
