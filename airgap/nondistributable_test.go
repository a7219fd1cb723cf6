package airgap_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	ggcrempty "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

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
		registrytest.Lacks(w)
	}))
	defer elsewhere.Close()
	from, at, private := registrytest.Serve(t), registrytest.Serve(t), registrytest.Serve(t)

	// The other's image: its registry has all but the layer.
	third := bundletest.OldImage(t, types.DockerManifestSchema2, types.DockerForeignLayer, theirs,
		elsewhere.URL+"/layer")
	reference := from.Host() + "/tool:1"
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, third); err != nil {
		t.Fatal(err)
	}
	st := storetest.Open(t)
	l := own17763(t, st,
		bundletest.OldImage(t, types.OCIManifestSchema1, types.OCIRestrictedLayer, ours, "https://example.com/layer"))
	p := storetest.Product(t, l)
	p.Registry = at.Host()
	p.Airgap.Images = []product.ThirdParty{{Reference: ref, Text: reference}}
	l, err = publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{Wait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Held(t, l.Images[0].Tagged(), types.OCIRestrictedLayer, ours, "https://example.com/layer")

	windows := bundletest.Parse(t, "windows/amd64:ltsc2019")
	for _, target := range []airgap.Target{{Name: "all"}, {Name: "node", Platform: windows}} {
		t.Run(target.Name, func(t *testing.T) {
			path := bundletest.Pack(t, st, l, t.TempDir(), target)[0].Path
			b := bundletest.Opened(t, path)
			if report, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{}); err != nil ||
				len(report.Problems) > 0 {
				t.Fatalf("%v %+v", err, report)
			}
			o := bundletest.To(private)
			o.To = private.Host() + "/" + target.Name
			pushed, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(pushed.Images) != 2 {
				t.Fatalf("%d images were pushed", len(pushed.Images))
			}
			bundletest.Held(t, pushed.Images[0].Target, types.OCIRestrictedLayer, ours, "https://example.com/layer")
			bundletest.Held(t, pushed.Images[1].Target, types.DockerForeignLayer, theirs, elsewhere.URL+"/layer")
		})
	}
}

// own17763 puts an image into a store as the only one of a product.
func own17763(t *testing.T, st *store.Store, img v1.Image) *lock.Lock {
	t.Helper()
	d := storetest.Put(t, st, img)
	i := storetest.Index(t, st, "tool", storetest.Child{Platform: bundletest.Parse(t, "windows/amd64:10.0.17763.1")})
	m, err := v1.ParseIndexManifest(bytes.NewReader(bundletest.Read(t, st, i.Digest)))
	if err != nil {
		t.Fatal(err)
	}
	d.Platform = m.Manifests[0].Platform
	idx := mutate.AppendManifests(mutate.IndexMediaType(ggcrempty.Index, types.OCIImageIndex),
		mutate.IndexAddendum{Add: img, Descriptor: d})
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
