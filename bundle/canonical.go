package bundle

import "bytes"

// CheckForm reports a head that is not, byte for byte, what [NewLayout] makes of the contents. What
// a bundle has without a digest is in manifest.json and index.json: in their only form, every byte
// of them is one that this package reads, and that docker, containerd and RKE2 read as it does.
func (b *Bundle) CheckForm() error {
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
			return invalid("its %s is not in the form that slipway writes: somebody changed it, or another version of slipway packed it", doc.name)
		}
	}
	return nil
}

// SameDocuments reports whether another bundle has the same index.json and manifest.json. These name
// everything else by digest, so what one bundle was checked for is true of the other.
func (b *Bundle) SameDocuments(other *Bundle) bool {
	return bytes.Equal(b.head.raw, other.head.raw) && bytes.Equal(b.head.docker, other.head.docker)
}
