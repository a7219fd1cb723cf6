package registrytest

import (
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/slipway-dev/slipway/platform"
)

// Pause puts an index over Linux and Windows into a registry, with one foreign layer that lies at
// url, and returns its digest.
func Pause(t testing.TB, ref, url string, foreign []byte) v1.Hash {
	t.Helper()
	idx := mutate.IndexMediaType(empty.Index, types.DockerManifestList)
	for _, p := range []platform.Platform{
		{OS: "linux", Architecture: "amd64"},
		{OS: "linux", Architecture: "arm64", Variant: "v8"},
		{OS: "windows", Architecture: "amd64", OSVersion: "10.0.17763.6893"},
		{OS: "unknown", Architecture: "unknown"}, // a provenance
	} {
		img, err := random.Image(2000, 2)
		if err != nil {
			t.Fatal(err)
		}
		if p.OS == "windows" {
			img, err = mutate.Append(img, mutate.Addendum{
				Layer: static.NewLayer(foreign, types.DockerForeignLayer), MediaType: types.DockerForeignLayer,
				URLs: []string{url + "/gone", url + "/layer"},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p.V1()}})
	}
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	// Foreign layers are omitted, as they are in Microsoft's old images.
	if err := remote.WriteIndex(r, idx); err != nil {
		t.Fatal(err)
	}
	h, err := idx.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h
}
