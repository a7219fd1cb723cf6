package airgap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestFirst: the image that is named first comes first in both views, in the list, among
// manifests and among layers; the others keep their order.
func TestFirst(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	plain := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)
	for first, name := range map[string]string{
		"server":                  "slipway.local/demo/server:1.2.3",
		l.ThirdParty[0].Reference: "docker.io/library/pause:3.9",
	} {
		files, _, err := airgap.Pack(t.Context(), st, l, bundletest.Targets(t),
			airgap.PackOptions{Dir: t.TempDir(), First: first})
		if err != nil {
			t.Fatal(err)
		}
		for n, f := range files {
			at := slices.IndexFunc(plain[n].Contents.Images, func(i bundle.Image) bool { return i.Name == name })
			want := slices.Clone(plain[n].Contents.Images)
			if at > 0 {
				want = slices.Concat(want[at:at+1], want[:at], want[at+1:])
			}
			if !slices.EqualFunc(want, f.Contents.Images, func(a, b bundle.Image) bool { return a.Name == b.Name }) {
				t.Errorf("%s with %s first: %+v", f.Path, name, f.Contents.Images)
			}
			if at < 0 {
				continue
			}
			var blobs []string
			for _, e := range bundletest.Entries(t, f.Path)[3:] {
				blobs = append(blobs, e.Name)
			}
			i := f.Contents.Images[0]
			place := func(h v1.Hash) int { return slices.Index(blobs, bundletest.BlobName(h)) }
			if place(i.Digest()) != 0 {
				t.Errorf("%s: the index of %s is blob %d", f.Path, name, place(i.Digest()))
			}
			c, err := bundle.Inspect(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			if p := place(i.Included()[0].Layers[0].Digest); p != len(blobs)-c.Layers {
				t.Errorf("%s: its layer is blob %d of %d, of which %d are layers", f.Path, p, len(blobs), c.Layers)
			}
			docker := string(bundletest.Entries(t, f.Path)[0].Data)
			if _, tags, _ := strings.Cut(docker, "RepoTags"); !strings.HasPrefix(tags, `":["`+name) {
				t.Errorf("%s: manifest.json begins with %.200s", f.Path, docker)
			}
		}
	}
}
