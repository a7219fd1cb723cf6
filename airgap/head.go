package airgap

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// Bounds of what is read of a file that somebody else may have made. A head of 1,000 images on
// five platforms has about 30 MiB.
const (
	maxHead    = 48 << 20 // bytes of the decompressed head
	maxEntries = 32 << 10 // blobs in the head
	maxDepth   = 32       // nesting of JSON
	// values of one JSON document; 10,000 images have four fifths of that in index.json
	maxValues = 160 << 10
	// the same of manifest.json, of which less memory is made: 10,000 images of three layers
	maxDocker = 256 << 10
	// bytes of blobs that are understood: an image may have several names, and is read for each
	maxRead   = 4 * maxHead
	maxErrors = 1000    // that one head is told about
	maxWord   = 255     // bytes of a media type, a platform, a version
	maxText   = 4 << 10 // bytes of a reason
	maxLayer  = 1 << 40 // bytes of a layer
	maxLayers = 1 << 50 // bytes of all layers: sums stay far from where they overflow
)

// maxCount is how many layers a bundle may have, each once; an image alone may not name more.
var maxCount = 64 << 10 // a variable for the test that has more

// maxRefs is how often the images of a bundle may name a manifest or a layer. That is more than
// it has, since images share them.
const maxRefs = 128 << 10

var blobPattern = regexp.MustCompile(`^blobs/sha256/([0-9a-f]{64})$`)

// head is the part of a bundle before its first layer, as read: not yet understood.
type head struct {
	docker []byte
	index  v1.IndexManifest
	format int                // of the bundle, up to [Format]
	blobs  map[v1.Hash][]byte // checked against their digests
	bad    map[v1.Hash]error  // blobs whose bytes have another digest
	size   int64              // bytes of the archive up to the first layer
	// in the order of the archive, each once; known when contents has been called
	layers []Layer
}

// tarBlock is what everything in a tar is a multiple of.
const tarBlock = 512

// recognize tells by its first bytes what is no zstd stream. A skippable frame in front is none
// of ours: skopeo would not know the archive.
func recognize(r io.ReaderAt) error {
	b := make([]byte, tarBlock)
	n, err := r.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch b = b[:n]; {
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return nil
	case n == tarBlock && string(b[257:262]) == "ustar":
		return errors.New("not a bundle of Slipway: it is a plain tar archive; a bundle is compressed, so take the file as it was packed")
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return errors.New("not a bundle of Slipway: it is compressed by gzip and does not begin with a zstd frame")
	}
	return errors.New("not a bundle of Slipway: it does not begin with a zstd frame")
}

// damaged says of errors in reading an archive what they mean.
func damaged(err error) error {
	var frame *seekable.FrameError
	var table *seekable.TableError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &frame) && !errors.Is(err, zstd.ErrDecoderSizeExceeded) && !errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the bundle is %w: copy it again", err)
	case errors.As(err, &table):
		return fmt.Errorf("%w: copy the bundle again", err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errors.New("the bundle is truncated: copy it again")
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("not a bundle of Slipway: its zstd window is larger than %d MiB", seekable.MaxWindow>>20)
	}
	return err
}

// parseHead reads the decompressed head. With an error it returns what stands before the place
// where it went wrong.
func parseHead(r io.Reader) (*head, error) {
	bounded := &io.LimitedReader{R: r, N: maxHead}
	tr := tar.NewReader(bounded)
	h := &head{blobs: map[v1.Hash][]byte{}, bad: map[v1.Hash]error{}}
	err := h.parse(tr)
	// an archive that ends before its first entry, as zeros do
	if errors.Is(err, io.EOF) && h.docker == nil {
		return h, errors.New("not a bundle of Slipway: nothing is in it")
	}
	if err != nil && bounded.N <= 0 {
		return h, fmt.Errorf("not a bundle of Slipway: its head is larger than %d MiB", maxHead>>20)
	}
	h.size = padded(maxHead - bounded.N)
	return h, err
}

// padded is n bytes as they stand in a tar.
func padded(n int64) int64 { return (n + tarBlock - 1) / tarBlock * tarBlock }

// entrySize is how many bytes of a tar a file of that size takes, with its header.
func entrySize(size int64) int64 {
	header := int64(tarBlock)
	if size >= paxSize {
		header = 3 * tarBlock // the size stands in a record, which has a header of its own
	}
	return header + padded(size)
}

func (h *head) parse(tr *tar.Reader) error {
	var err error
	if h.docker, err = named(tr, "manifest.json"); err != nil {
		return err
	}
	layout, err := named(tr, "oci-layout")
	if err != nil {
		return err
	}
	var version struct {
		Version string `json:"imageLayoutVersion"`
	}
	if err := decode("oci-layout", layout, &version); err != nil {
		return err
	}
	if version.Version != "1.0.0" {
		return fmt.Errorf("not a bundle of Slipway: its image layout has version %q", version.Version)
	}
	index, err := named(tr, "index.json")
	if err != nil {
		return err
	}
	if err := decode("index.json", index, &h.index); err != nil {
		return err
	}
	n, err := h.entries()
	if err != nil {
		return err
	}
	for range n {
		name, data, err := next(tr, maxBlob)
		if err != nil {
			return err
		}
		m := blobPattern.FindStringSubmatch(name)
		if m == nil {
			return fmt.Errorf("not a bundle of Slipway: %.100q stands where a blob is expected", name)
		}
		sum := sha256.Sum256(data)
		digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
		if named := (v1.Hash{Algorithm: "sha256", Hex: m[1]}); named != digest {
			h.bad[named] = fmt.Errorf("the bundle is damaged: the bytes of blob %s have the digest %s", named, digest)
			continue
		}
		if _, twice := h.blobs[digest]; twice {
			return fmt.Errorf("not a bundle of Slipway: blob %s stands in it twice", digest)
		}
		h.blobs[digest] = data
	}
	return nil
}

// entries checks the format and returns how many blobs follow in the head.
func (h *head) entries() (int, error) {
	var err error
	h.format, err = strconv.Atoi(h.index.Annotations[annotationFormat])
	switch {
	case err != nil || h.format < 1:
		return 0, errors.New("not a bundle of Slipway: index.json has no format annotation")
	case h.format > Format:
		return 0, fmt.Errorf("the bundle has format %d, this slipway reads %d: use a newer slipway", h.format, Format)
	}
	n, err := strconv.Atoi(h.index.Annotations[annotationEntries])
	if err != nil || n < 0 || n > maxEntries {
		return 0, fmt.Errorf("not a bundle of Slipway: %s is %q, not a number up to %d", annotationEntries, h.index.Annotations[annotationEntries], maxEntries)
	}
	return n, nil
}

// named reads the next entry, which must have that name.
func named(tr *tar.Reader, want string) ([]byte, error) {
	name, data, err := next(tr, 2*maxBlob)
	if err == nil && name != want {
		err = fmt.Errorf("not a bundle of Slipway: %.100q stands where %s is expected", name, want)
	}
	return data, err
}

// next reads an entry of at most limit bytes. Everything but a plain file is refused: links,
// directories, sparse files.
func next(tr *tar.Reader, limit int64) (string, []byte, error) {
	h, err := tr.Next()
	if err != nil {
		return "", nil, tarError(err)
	}
	// only layers may be so large that they need records
	if h.Typeflag != tar.TypeReg || len(h.PAXRecords) > 0 {
		return "", nil, fmt.Errorf("not a bundle of Slipway: %.100q is not a plain file", h.Name)
	}
	if h.Size > limit {
		return "", nil, fmt.Errorf("not a bundle of Slipway: %.100q has %d bytes where at most %d are expected", h.Name, h.Size, limit)
	}
	b := make([]byte, h.Size)
	if _, err := io.ReadFull(tr, b); err != nil {
		return "", nil, tarError(err)
	}
	return h.Name, b, nil
}

func tarError(err error) error {
	if errors.Is(err, tar.ErrHeader) {
		return fmt.Errorf("not a bundle of Slipway: %w", err)
	}
	return err
}
