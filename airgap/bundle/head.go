package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/gzipped"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
)

var blobPattern = lazyregexp.New(`^blobs/sha256/([0-9a-f]{64})$`)

// head is the part of a bundle before its first layer, as it was read.
type head struct {
	docker []byte
	index  v1.IndexManifest
	raw    []byte             // index.json
	blobs  map[v1.Hash][]byte // metadata blobs, which have their digests
	bad    map[v1.Hash]error  // metadata blobs whose bytes have another digest
	size   int64              // bytes of the archive up to the first layer
	sum    v1.Hash            // of these bytes
	layers []v1.Descriptor    // in the order of the archive; known once contents was called
}

// recognize reports by its first bytes a file that is neither a zstd stream nor a gzip file, and
// which of both it is. A skippable frame does not begin a bundle, since skopeo would not
// recognize it.
func recognize(r io.ReaderAt) (gzip bool, err error) {
	b := make([]byte, tarBlock)
	n, err := r.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch b = b[:n]; {
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return false, nil
	case bytes.HasPrefix(b, []byte(gzipped.Magic)):
		return true, nil
	case n == tarBlock && string(b[257:262]) == "ustar":
		return false, foreign("it is a plain tar archive; a bundle is compressed, so use the file as it was packed")
	}
	return false, foreign("it does not begin with a zstd frame or a gzip header: name a bundle, as slipway packs it")
}

// parseHead reads the decompressed head. With an error it returns what precedes the error.
func parseHead(r io.Reader) (*head, error) {
	sum := sha256.New()
	bounded := &io.LimitedReader{R: io.TeeReader(r, sum), N: maxHead}
	tr := tar.NewReader(bounded)
	h := &head{blobs: map[v1.Hash][]byte{}, bad: map[v1.Hash]error{}}
	err := h.parse(tr)
	// an archive that ends before its first entry, as zeros do
	if errors.Is(err, io.EOF) && h.docker == nil {
		return h, invalid("it is empty")
	}
	if err != nil && bounded.N <= 0 {
		return h, invalid("its head is larger than %d MiB", maxHead>>20)
	}
	h.size = padded(maxHead - bounded.N)
	if err == nil {
		_, err = io.CopyN(io.Discard, bounded, h.size-(maxHead-bounded.N)) // the padding of the last entry
	}
	h.sum = oci.Sum(sum)
	return h, err
}

func (h *head) parse(tr *tar.Reader) error {
	var err error
	if h.docker, err = readNamed(tr, "manifest.json"); err != nil {
		return err
	}
	layout, err := readNamed(tr, "oci-layout")
	if err != nil {
		return err
	}
	var version struct {
		Version string `json:"imageLayoutVersion"`
	}
	if err := oci.Decode("oci-layout", layout, &version, maxValues); err != nil {
		return err
	}
	if version.Version != "1.0.0" {
		return invalid("its image layout has version %q", version.Version)
	}
	index, err := readNamed(tr, "index.json")
	if err != nil {
		return err
	}
	if err := oci.Decode("index.json", index, &h.index, maxValues); err != nil {
		return err
	}
	h.raw = index
	n, err := h.metadataBlobs()
	if err != nil {
		return err
	}
	for range n {
		if err := h.readBlob(tr); err != nil {
			return err
		}
	}
	return nil
}

// metadataBlobs checks the format and returns how many metadata blobs follow.
func (h *head) metadataBlobs() (int, error) {
	format, err := strconv.Atoi(h.index.Annotations[annotationFormat])
	switch {
	case err != nil || format < 1:
		return 0, invalid("index.json has no format annotation")
	case format > Format:
		return 0, fmt.Errorf("the bundle has format %d, this slipway reads %d: use a newer slipway", format, Format)
	}
	n, err := strconv.Atoi(h.index.Annotations[annotationMetadata])
	if err != nil || n < 0 || n > maxEntries {
		return 0, invalid("%s is %q, not a number up to %d", annotationMetadata,
			h.index.Annotations[annotationMetadata], maxEntries)
	}
	return n, nil
}

// readBlob reads the next metadata blob.
func (h *head) readBlob(tr *tar.Reader) error {
	name, data, err := readEntry(tr, maxBlob)
	if err != nil {
		return err
	}
	m := blobPattern.FindStringSubmatch(name)
	if m == nil {
		return invalid("unexpected entry %.100q among the blobs", name)
	}
	sum := sha256.Sum256(data)
	digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
	if named := (v1.Hash{Algorithm: "sha256", Hex: m[1]}); named != digest {
		h.bad[named] = damage("the bytes of blob %s have the digest %s", named, digest)
		return nil
	}
	if _, twice := h.blobs[digest]; twice {
		return invalid("it has blob %s twice", digest)
	}
	h.blobs[digest] = data
	return nil
}

// checkForm reports a head that is not, byte for byte, what a [Writer] writes of the contents.
// Most of it has no digest: manifest.json, index.json, oci-layout and the headers of the archive.
// In their only form every byte of them is one that this package reads, and that docker,
// containerd and RKE2 read as it does: no key of JSON is there twice, no file of the archive has
// two names.
func (b *Bundle) checkForm() error {
	c := *b.contents
	l, err := NewLayout(&c)
	if err != nil {
		return err
	}
	for _, doc := range []struct {
		name      string
		have, own []byte
	}{{"manifest.json", b.head.docker, l.docker}, {"index.json", b.head.raw, l.index}} {
		if !bytes.Equal(doc.have, doc.own) {
			return otherForm("its " + doc.name)
		}
	}
	sum := sha256.New()
	blob := func(h v1.Hash) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.head.blobs[h])), nil }
	a := archive{open: blob, tw: tar.NewWriter(sum), time: c.Created, buf: make([]byte, tarBlock)}
	if err := a.head(l); err != nil {
		return err
	}
	if oci.Sum(sum) != b.head.sum {
		return otherForm("the order or a header of its archive, or its oci-layout,")
	}
	return nil
}

func otherForm(what string) error {
	return invalid("%s is not in the form that slipway writes: "+
		"it was changed, or another version of slipway packed it", what)
}

// SameDocuments reports whether another bundle has the same index.json and manifest.json. These
// name everything else by digest, so what one bundle was checked for is true of the other.
func (b *Bundle) SameDocuments(other *Bundle) bool { return b.head.sum == other.head.sum }
