package storetest

import (
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Listed is what an index lists: the descriptor and the image behind it.
type Listed struct {
	v1.Descriptor

	Image v1.Image
}

// List returns what an index lists, in its order, wherever the index comes from.
func List(tb testing.TB, idx v1.ImageIndex) (list []Listed) {
	tb.Helper()
	m, err := idx.IndexManifest()
	must(tb, err)
	for _, d := range m.Manifests {
		img, err := idx.Image(d.Digest)
		must(tb, err)
		list = append(list, Listed{d, img})
	}
	return list
}
