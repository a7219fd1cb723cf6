package tree_test

import (
	"archive/tar"
	"bytes"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestNamesNotUTF8 reads an image twice, the second time from the record of the store: names and
// links are the same bytes.
func TestNamesNotUTF8(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "caf\xe9", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "plain", Typeflag: tar.TypeSymlink, Linkname: "caf\xe9"},
		{Name: "hard", Typeflag: tar.TypeLink, Linkname: "caf\xe9"},
		{Name: "\xff\xfe", Typeflag: tar.TypeDir, Mode: 0o755},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	diffID, _, err := v1.SHA256(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	st := storetest.Open(t)
	for _, reading := range []string{"first", "second"} {
		a := tree.NewArchives(st, tree.Limits{})
		got, err := a.ReadLayers(t.Context(), []v1.Layer{static.NewLayer(b.Bytes(), types.OCIUncompressedLayer)},
			[]v1.Hash{diffID}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"/caf\xe9", "/plain", "/hard", "/\xff\xfe"} {
			if n, err := got.Lstat(name); err != nil || n == nil {
				t.Errorf("%s reading: there is no %q (%v)", reading, name, err)
			} else if name == "/plain" && n.Link != "caf\xe9" {
				t.Errorf("%s reading: the link leads to %q", reading, n.Link)
			}
		}
	}
}
