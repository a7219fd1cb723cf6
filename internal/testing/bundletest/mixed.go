package bundletest

import (
	"encoding/json"
	"io"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Mixed is a demo with third-party images that have several manifests for one kind of node:
//
//	sidecar  older Windows builds only
//	base     386 next to amd64, 32-bit arm next to arm64; amd64 a second time, by the same
//	         configuration and another layer; no platform at all
//	twin     an index of one manifest, which that of agent lists, too: the one for 20348
func Mixed(t *testing.T) (*store.Store, *lock.Lock) {
	t.Helper()
	st, l := Demo(t, 100)
	layer := storetest.Layer(t, "base", "amd64", 100)
	r, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	tar, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var children []storetest.Child
	for _, s := range []string{
		"linux/386", "linux/amd64", "linux/amd64", "linux/arm/v7", "linux/arm64",
		"linux/s390x",
	} {
		c := storetest.Child{Platform: Parse(t, s), Layers: []v1.Layer{storetest.Layer(t, "base", s, 100)}}
		if s == "linux/amd64" {
			c.Layers[0], layer = layer, static.NewLayer(tar, types.OCIUncompressedLayer)
		}
		children = append(children, c)
	}
	nowhere := storetest.Child{Layers: []v1.Layer{storetest.Layer(t, "data", "data", 100)}}
	base := Changed(t, st, storetest.Index(t, st, "base", append(children, nowhere)...), func(m *v1.IndexManifest) {
		m.Manifests[len(m.Manifests)-1].Platform = nil
	})
	if a, b := base.Children[1], base.Children[2]; a.Config != b.Config || a.Digest == b.Digest {
		t.Fatalf("the manifests for linux/amd64 are %+v and %+v", a, b)
	}
	twin := Changed(t, st, l.Images[0], func(m *v1.IndexManifest) { m.Manifests = m.Manifests[3:4] })
	// The manifests of the agent, the oldest for Windows without a version: of any host's, as far
	// as is known.
	blank := Changed(t, st, l.Images[0], func(m *v1.IndexManifest) {
		m.Manifests[len(m.Manifests)-1].Platform.OSVersion = ""
	})
	l.ThirdParty = append(l.ThirdParty, Sidecar(t, st),
		lock.ThirdParty{
			Reference: "registry.example/blank:1", MediaType: blank.MediaType, Digest: blank.Digest,
			Size: blank.Size,
		},
		lock.ThirdParty{
			Reference: "registry.example/base:1", MediaType: base.MediaType, Digest: base.Digest,
			Size: base.Size,
		},
		lock.ThirdParty{
			Reference: "registry.example/twin:1", MediaType: twin.MediaType, Digest: twin.Digest,
			Size: twin.Size,
		})
	return st, l
}

// Changed puts a changed index into the store.
func Changed(t *testing.T, st *store.Store, i lock.Image, change func(*v1.IndexManifest)) lock.Image {
	t.Helper()
	var m v1.IndexManifest
	if err := json.Unmarshal(Read(t, st, i.Digest), &m); err != nil {
		t.Fatal(err)
	}
	change(&m)
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if i.Digest, err = st.PutBytes(raw); err != nil {
		t.Fatal(err)
	}
	i.Size = int64(len(raw))
	return i
}

// Parts are the blobs that a manifest names.
func Parts(t *testing.T, raw []byte) []v1.Hash {
	t.Helper()
	var m v1.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	all := []v1.Hash{m.Config.Digest}
	for _, l := range m.Layers {
		all = append(all, l.Digest)
	}
	return all
}
