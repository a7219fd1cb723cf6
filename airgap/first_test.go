package airgap

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestFirst: the image that is named first comes first in both views, in the list, among
// manifests and among layers; the others keep their order.
func TestFirst(t *testing.T) {
	st, l := demo(t, 100)
	plain := pack(t, st, l, t.TempDir(), bundles(t)...)
	for first, name := range map[string]string{"server": "slipway.local/demo/server:1.2.3", l.ThirdParty[0].Reference: "docker.io/library/pause:3.9"} {
		files, err := Pack(t.Context(), st, l, bundles(t), PackOptions{Dir: t.TempDir(), First: first})
		if err != nil {
			t.Fatal(err)
		}
		for n, f := range files {
			at := slices.IndexFunc(plain[n].Images, func(i Image) bool { return i.Name == name })
			want := slices.Clone(plain[n].Images)
			if at > 0 {
				want = slices.Concat(want[at:at+1], want[:at], want[at+1:])
			}
			if !slices.EqualFunc(want, f.Images, func(a, b Image) bool { return a.Name == b.Name }) {
				t.Errorf("%s with %s first: %+v", f.Path, name, f.Images)
			}
			if at < 0 {
				continue
			}
			var blobs []string
			for _, e := range entries(t, f.Path)[3:] {
				blobs = append(blobs, e.name)
			}
			i := f.Images[0]
			place := func(h v1.Hash) int { return slices.Index(blobs, blobName(h)) }
			if place(i.Digest) != 0 {
				t.Errorf("%s: the index of %s is blob %d", f.Path, name, place(i.Digest))
			}
			c, err := Inspect(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			if p := place(i.Children[0].Layers[0].Digest); p != len(blobs)-c.Layers {
				t.Errorf("%s: its layer is blob %d of %d, of which %d are layers", f.Path, p, len(blobs), c.Layers)
			}
			docker := string(entries(t, f.Path)[0].data)
			if _, tags, _ := strings.Cut(docker, "RepoTags"); !strings.HasPrefix(tags, `":["`+name) {
				t.Errorf("%s: manifest.json begins with %.200s", f.Path, docker)
			}
		}
	}
}
