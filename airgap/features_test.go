package airgap_test

import (
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

// TestFeatures packs, extracts and pushes a third-party index that lists an image with a feature
// before the one that every node runs: a bundle for one platform has the latter, and a mirror gets
// both, byte for byte.
func TestFeatures(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	var children []storetest.Child
	for _, s := range []string{"linux(+erofs)/amd64", "linux/amd64"} {
		children = append(children, storetest.Child{
			Platform: bundletest.Parse(t, s), Layers: []v1.Layer{storetest.Layer(t, "app", s, 100)},
		})
	}
	i := storetest.Index(t, st, "native", children...)
	const called = "registry.example/native:1"
	l.ThirdParty = append(l.ThirdParty, lock.ThirdParty{
		Reference: called, MediaType: types.OCIImageIndex, Digest: i.Digest, Size: i.Size,
	})
	amd64 := bundletest.Parse(t, "linux/amd64")
	files := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "one", Platform: amd64}, airgap.Target{Name: "all"})
	for n, want := range [][]string{{"linux/amd64"}, {"linux(+erofs)/amd64", "linux/amd64"}} {
		c, err := bundle.Inspect(files[n].Path)
		if err != nil {
			t.Fatal(err)
		}
		native, err := c.Find(called)
		if err != nil {
			t.Fatal(err)
		}
		var has []string
		for _, m := range native.Included() {
			has = append(has, m.Platform.String())
		}
		if !slices.Equal(has, want) || !native.Fallback.IsZero() {
			t.Errorf("%s has %q, want %q (fallback %q)", files[n].Path, has, want, native.Fallback)
		}
		if m := native.Manifests[0]; n == 0 && m.Presence != oci.ManifestOnly {
			t.Errorf("the manifest with the feature is %v: ctr images import of containerd 1 reads it", m.Presence)
		}
	}
	b := bundletest.Opened(t, files[1].Path)
	x, err := b.Extract(t.Context(), called, bundle.ExtractOptions{To: t.TempDir() + "/x.tar", Platform: amd64})
	if err != nil || x.Digest != i.Children[1].Digest {
		t.Errorf("extracted %+v (%v), want %s", x, err, i.Children[1].Digest)
	}
	r := registrytest.Serve(t)
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(r.Host() + "/mirror/native:1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Get(ref)
	if err != nil || got.Digest != i.Digest {
		t.Errorf("the mirror has %v (%v), want %s", got, err, i.Digest)
	}
}
