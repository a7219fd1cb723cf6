package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// checkForm reports a head that is not, byte for byte, what a [Writer] writes of the contents. Most
// of it has no digest: manifest.json, index.json, oci-layout and the headers of the archive. In
// their only form every byte of them is one that this package reads, and that docker, containerd
// and RKE2 read as it does: no key of JSON is there twice, no file of the archive has two names.
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
