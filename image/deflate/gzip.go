package deflate

import (
	"io"

	"github.com/slipway-dev/slipway/internal/gzipped"
)

// Gzip compresses a stream to gzip (RFC 1952). It must be closed.
type Gzip struct {
	*Writer

	file *gzipped.Writer
}

// NewGzip returns a writer that compresses to the begin of a blob. What is known may be nil.
func NewGzip(to io.Writer, known *Known) *Gzip {
	file := gzipped.NewWriter(to)
	g := &Gzip{Writer: NewWriter(file, known), file: file}
	g.At(int64(gzipped.HeaderSize))
	return g
}

// Write compresses p. An error is one of the writer below, of this call or an earlier one.
func (g *Gzip) Write(p []byte) (int, error) {
	g.file.Sum(p)
	return g.Writer.Write(p)
}

// Close ends the stream, and returns the first error.
func (g *Gzip) Close() error {
	if err := g.end(); err != nil {
		return err
	}
	return g.file.Close()
}
