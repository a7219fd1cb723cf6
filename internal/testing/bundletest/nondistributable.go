package bundletest

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	ggcrempty "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// OldImage is an image on an old Windows base, whose layer lies elsewhere than in its registry, by
// Docker's type or OCI's.
func OldImage(t *testing.T, format, layer types.MediaType, content []byte, url string) v1.Image {
	t.Helper()
	img, err := mutate.Append(mutate.MediaType(ggcrempty.Image, format),
		mutate.Addendum{Layer: static.NewLayer(content, layer), MediaType: layer, URLs: []string{url}},
		mutate.Addendum{Layer: storetest.Layer(t, "Files/tool.exe", string(format), 1000), MediaType: types.OCILayer})
	if err != nil {
		t.Fatal(err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.OSVersion = "windows", "amd64", "10.0.17763.1"
	if img, err = mutate.ConfigFile(img, cf); err != nil {
		t.Fatal(err)
	}
	return img
}

// Read returns a blob of the store.
func Read(t *testing.T, st *store.Store, h v1.Hash) []byte {
	t.Helper()
	b, err := st.Get(v1.Descriptor{Digest: h})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Held looks whether a registry has an image whose first layer is of a type, and has that layer
// itself.
func Held(t *testing.T, target string, mt types.MediaType, content []byte, url string) {
	t.Helper()
	ref, err := name.ParseReference(target)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := remote.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	img, err := desc.Image()
	if desc.MediaType.IsIndex() {
		idx, idxErr := desc.ImageIndex()
		if idxErr != nil {
			t.Fatal(idxErr)
		}
		m, idxErr := idx.IndexManifest()
		if idxErr != nil {
			t.Fatal(idxErr)
		}
		img, err = idx.Image(m.Manifests[0].Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	first := m.Layers[0]
	if first.MediaType != mt || len(first.URLs) != 1 || first.URLs[0] != url {
		t.Errorf("%s: the layer is %s at %q", target, first.MediaType, first.URLs)
	}
	// By hand: a client would go to the layer's own address, too.
	got, err := http.Get("http://" + ref.Context().RegistryStr() + "/v2/" + ref.Context().RepositoryStr() + "/blobs/" + first.Digest.String()) //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK || !bytes.Equal(body, content) {
		t.Errorf("%s: the registry gives %s and %d bytes of the layer (%v), it has %d", target, got.Status,
			len(body), err, len(content))
	}
}
