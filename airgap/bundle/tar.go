package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// tarBlock is what everything in a tar is a multiple of.
const tarBlock = 512

// paxSize is the first size that does not fit into the header of an older tar.
const paxSize = 8 << 30

// blobName is the name of a blob in the archive, the same as in an image layout.
func blobName(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

// padded is how many bytes n bytes of a file take in a tar.
func padded(n int64) int64 { return (n + tarBlock - 1) / tarBlock * tarBlock }

// entrySize is how many bytes of a tar a file of that size takes, with its header.
func entrySize(size int64) int64 {
	header := int64(tarBlock)
	if size >= paxSize {
		header = 3 * tarBlock // a record has the size, after a header of its own
	}
	return header + padded(size)
}

// header returns the header of a file in a bundle.
func header(name string, size int64, created time.Time) *tar.Header {
	h := &tar.Header{
		Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, ModTime: created,
		Format: tar.FormatUSTAR,
	}
	if size >= paxSize {
		h.Format = tar.FormatPAX
	}
	return h
}

// readNamed reads the next entry, which must have that name.
func readNamed(tr *tar.Reader, want string) ([]byte, error) {
	name, data, err := readEntry(tr, 2*maxBlob)
	if err == nil && name != want {
		err = invalid("%.100q is where %s is expected", name, want)
	}
	return data, err
}

// readEntry reads an entry of at most limit bytes. Everything but a plain file is refused: links,
// directories, sparse files.
func readEntry(tr *tar.Reader, limit int64) (string, []byte, error) {
	h, err := tr.Next()
	if err != nil {
		return "", nil, tarError(err)
	}
	// only layers may be so large that they need records
	if h.Typeflag != tar.TypeReg || len(h.PAXRecords) > 0 {
		return "", nil, invalid("%.100q is not a plain file", h.Name)
	}
	if h.Size > limit {
		return "", nil, invalid("%.100q has %d bytes where at most %d are expected", h.Name, h.Size, limit)
	}
	b := make([]byte, h.Size)
	if _, err := io.ReadFull(tr, b); err != nil {
		return "", nil, tarError(err)
	}
	return h.Name, b, nil
}

func tarError(err error) error {
	if errors.Is(err, tar.ErrHeader) {
		return &FormatError{Err: err}
	}
	return err
}

// blobReader reads the entries of blobs, one after the other. A header, and the padding before
// it, must be what [archive] writes, byte for byte: programs differ in how they read other
// headers.
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

// next returns the digest in the name of the next blob, and its size. The blob before it must
// have been read. io.EOF is the end of the archive.
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
	var want bytes.Buffer
	err = tar.NewWriter(&want).WriteHeader(header(hdr.Name, hdr.Size, created))
	if err != nil || !bytes.Equal(raw, want.Bytes()) {
		return v1.Hash{}, 0, invalid("the tar header of blob sha256:%s is not in the form that slipway writes", m[1])
	}
	b.padding = int(padded(hdr.Size) - hdr.Size)
	return v1.Hash{Algorithm: "sha256", Hex: m[1]}, hdr.Size, nil
}

var errBetween = damage("there are bytes between its files")

// recorder keeps the bytes between two entries of a tar: padding and a header.
type recorder struct {
	r    io.Reader
	on   bool
	kept []byte
}

// maxRecord is more than padding and a header in the form of slipway take.
const maxRecord = 8 * tarBlock

func (c *recorder) begin() { c.on, c.kept = true, c.kept[:0] }

// end returns the bytes that were read since begin, divided behind the padding.
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
