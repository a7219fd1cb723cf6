package airgap

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	ggcrempty "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// old is an image on an old Windows base, whose layer lies elsewhere than in its registry, by
// Docker's type or OCI's.
func old(t *testing.T, format, layer types.MediaType, content []byte, url string) v1.Image {
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

// TestNondistributable takes layers that registries need not have, those of Windows bases before
// 2023, the whole way: pulled from where they lie, pushed with our image, packed, verified and
// pushed to a private registry, byte for byte, and still named by their types and addresses.
// Nodes without a network have no other place to get them from.
func TestNondistributable(t *testing.T) {
	ours, theirs := bytes.Repeat([]byte("nanoserver"), 500), bytes.Repeat([]byte("servercore"), 500)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/layer" {
			w.Write(theirs) //nolint:errcheck // the client of this very test
			return
		}
		http.NotFound(w, q)
	}))
	defer elsewhere.Close()
	from, at, private := newRegistry(t), newRegistry(t), newRegistry(t)

	// The other's image: its registry has all but the layer.
	third := old(t, types.DockerManifestSchema2, types.DockerForeignLayer, theirs, elsewhere.URL+"/layer")
	reference := from.host() + "/tool:1"
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, third); err != nil {
		t.Fatal(err)
	}
	st := storetest.Open(t)
	l := own17763(t, st, old(t, types.OCIManifestSchema1, types.OCIRestrictedLayer, ours, "https://example.com/layer"))
	p := storetest.Product(t, l)
	p.Registry = at.host()
	p.Airgap.Images = []product.ThirdParty{{Reference: ref, Text: reference}}
	l, err = publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{Wait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	held(t, l.Images[0].Repository+":"+l.Images[0].Tag, types.OCIRestrictedLayer, ours, "https://example.com/layer")

	windows := parse(t, "windows/amd64:ltsc2019")
	for _, bundle := range []product.Bundle{{Name: "all"}, {Name: "node", Platform: windows}} {
		t.Run(bundle.Name, func(t *testing.T) {
			path := pack(t, st, l, t.TempDir(), bundle)[0].Path
			b := opened(t, path)
			if report, err := Verify(t.Context(), path, VerifyOptions{}); err != nil || len(report.Problems) > 0 {
				t.Fatalf("%v %+v", err, report)
			}
			o := to(private)
			o.To = private.host() + "/" + bundle.Name
			pushed, err := Push(t.Context(), []*Bundle{b}, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(pushed.Images) != 2 {
				t.Fatalf("%d images were pushed", len(pushed.Images))
			}
			held(t, pushed.Images[0].Target, types.OCIRestrictedLayer, ours, "https://example.com/layer")
			held(t, pushed.Images[1].Target, types.DockerForeignLayer, theirs, elsewhere.URL+"/layer")
		})
	}
}

// own17763 puts an image into a store as the only one of a product.
func own17763(t *testing.T, st *store.Store, img v1.Image) *lock.Lock {
	t.Helper()
	d := storetest.Put(t, st, img)
	i := storetest.Index(t, st, "tool", storetest.Child{Platform: parse(t, "windows/amd64:10.0.17763.1")})
	m, err := v1.ParseIndexManifest(bytes.NewReader(read(t, st, i.Digest)))
	if err != nil {
		t.Fatal(err)
	}
	d.Platform = m.Manifests[0].Platform
	idx := mutate.AppendManifests(mutate.IndexMediaType(ggcrempty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: img, Descriptor: d})
	raw, err := idx.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	if i.Digest, err = st.PutBytes(raw); err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	i.Size = int64(len(raw))
	c := &i.Children[0]
	c.Digest, c.Size, c.Config, c.LayerBytes = d.Digest, d.Size, config, 0
	im, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range im.Layers {
		c.LayerBytes += layer.Size
	}
	l := storetest.Release(t, storetest.Open(t), 10)
	l.Images = []lock.Image{i}
	return l
}

func read(t *testing.T, st *store.Store, h v1.Hash) []byte {
	t.Helper()
	b, err := st.ReadAll(h, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// held looks whether a registry has an image whose first layer is of a type, and has that layer
// itself.
func held(t *testing.T, target string, mt types.MediaType, content []byte, url string) {
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
	got, err := http.Get("http://" + ref.Context().RegistryStr() + "/v2/" + ref.Context().RepositoryStr() + "/blobs/" + first.Digest.String())
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK || !bytes.Equal(body, content) {
		t.Errorf("%s: the registry gives %s and %d bytes of the layer (%v), it has %d", target, got.Status, len(body), err, len(content))
	}
}
