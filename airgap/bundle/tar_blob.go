package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// blobReader reads the entries of blobs, one after the other. A header, and the padding before it,
// must be what [archive] writes, byte for byte: programs differ in how they read other headers.
type blobReader struct {
	*tar.Reader // reads the current blob
	headers     *recorder
	created     time.Time // the time of all entries; zero: any
	padding     int       // of the current blob
}

func newBlobReader(r io.Reader, created time.Time) *blobReader {
	rec := &recorder{r: r}
	return &blobReader{tar.NewReader(rec), rec, created, 0}
}

// next returns the digest in the name of the next blob, and its size. The blob before it must have
// been read. io.EOF is the end of the archive.
func (b *blobReader) next() (v1.Hash, int64, error) {
	b.headers.begin()
	hdr, err := b.Next()
	padding, raw := b.headers.end(b.padding)
	if len(bytes.Trim(padding, "\x00")) > 0 && (err == nil || errors.Is(err, io.EOF)) {
		return v1.Hash{}, 0, errBetween
	}
	if err != nil {
		return v1.Hash{}, 0, tarError(err)
	}
	m := blobPattern.FindStringSubmatch(hdr.Name)
	if m == nil || hdr.Typeflag != tar.TypeReg || hdr.Size > maxLayer {
		return v1.Hash{}, 0, invalid("unexpected entry %.100q among the blobs", hdr.Name)
	}
	created := b.created
	if created.IsZero() {
		created = hdr.ModTime
	}
	if want, err := headerBytes(hdr.Name, hdr.Size, created); err != nil || !bytes.Equal(raw, want) {
		return v1.Hash{}, 0, invalid("the tar header of blob sha256:%s is not in the form that slipway writes", m[1])
	}
	b.padding = int(padded(hdr.Size) - hdr.Size)
	return v1.Hash{Algorithm: "sha256", Hex: m[1]}, hdr.Size, nil
}

var errBetween = damage("there are bytes between its files")

// recorder keeps what is read between two entries of a tar: padding and a header.
type recorder struct {
	r    io.Reader
	on   bool
	kept []byte
}

// maxRecord is more than padding and a header in the form of slipway take.
const maxRecord = 8 * tarBlock

func (c *recorder) begin() { c.on, c.kept = true, c.kept[:0] }

// end returns what was read since begin, divided behind the padding.
func (c *recorder) end(padding int) (before, behind []byte) {
	c.on = false
	padding = min(padding, len(c.kept))
	return c.kept[:padding], c.kept[padding:]
}

func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.on && len(c.kept) < maxRecord {
		c.kept = append(c.kept, p[:n]...)
	}
	return n, err
}
