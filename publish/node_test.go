package publish

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// FuzzWalk reads foreign manifests, of which every child is the same document.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{
		`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`,
		`{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:` + strings.Repeat("0", 64) + `","size":3,"platform":{"os":"linux","architecture":"amd64"}}]}`,
		`{"schemaVersion":2,"config":{"digest":"sha256:` + strings.Repeat("0", 64) + `"},"layers":[{"size":-1}]}`,
		`{"mediaType":"text/plain"}`,
		`[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		reads := 0
		root, err := walk(v1.Descriptor{}, func(v1.Descriptor) ([]byte, error) {
			if reads++; reads > 10000 {
				return nil, errors.New("that is enough")
			}
			return raw, nil
		}, maxDepth)
		if err != nil {
			return
		}
		for n := range root.all {
			if n.desc.MediaType.IsIndex() == (n.blobs != nil) {
				t.Errorf("%s has %d blobs", n.desc.MediaType, len(n.blobs))
			}
		}
		root.platforms()
	})
}

func TestWalkEnds(t *testing.T) {
	h := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}
	raw, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{{Digest: h}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = walk(v1.Descriptor{Digest: h}, func(v1.Descriptor) ([]byte, error) { return raw, nil }, maxDepth)
	if err == nil || !strings.Contains(err.Error(), "too many others") {
		t.Errorf("an index in itself: %v", err)
	}
	for n := range (&node{children: []*node{{}, {}}}).all {
		if n == nil {
			t.Error("nil was yielded")
		}
		break // must not go on
	}
}
