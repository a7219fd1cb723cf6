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
	h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, ModTime: created, Format: tar.FormatUSTAR}
	if size >= paxSize {
		h.Format = tar.FormatPAX
	}
	return h
}

// headerBytes returns a header as [archive] writes it.
func headerBytes(name string, size int64, created time.Time) ([]byte, error) {
	var b bytes.Buffer
	err := tar.NewWriter(&b).WriteHeader(header(name, size, created))
	return b.Bytes(), err
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
