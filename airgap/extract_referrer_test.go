package airgap

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/product"
)

// TestExtractReferrers: what refers to an image goes with it, and what refers to a manifest with
// that; every blob of it is there.
func TestExtractReferrers(t *testing.T) {
	st, l := signed(t, 1000)
	b := opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "signed"})[0].Path)
	all, agent := l.Images[0].Referrers, b.contents.Images[0]
	linux := parse(t, "linux/amd64")
	for name, c := range map[string]struct {
		o    ExtractOptions
		want []oci.Referrer
	}{
		"whole":         {ExtractOptions{}, all},
		"one platform":  {ExtractOptions{Platform: linux}, all[2:3]},
		"without":       {ExtractOptions{WithoutReferrers: true}, nil},
		"docker":        {ExtractOptions{Platform: linux, To: "image.tar"}, nil},
		"layout in tar": {ExtractOptions{Format: FormatOCI, To: "image.tar"}, all},
	} {
		t.Run(name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), cmp.Or(c.o.To, "image"))
			c.o.To = to
			x, err := b.Extract(t.Context(), agent.Name, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if x.Referrers != len(c.want) {
				t.Errorf("%d referrers, want %d", x.Referrers, len(c.want))
			}
			if strings.HasSuffix(to, ".tar") {
				return
			}
			p, err := layout.FromPath(to)
			if err != nil {
				t.Fatal(err)
			}
			index, err := p.ImageIndex()
			if err != nil {
				t.Fatal(err)
			}
			m, err := index.IndexManifest()
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Manifests) != 1+len(c.want) || m.Manifests[0].Digest != x.Digest {
				t.Fatalf("index.json has %+v", m.Manifests)
			}
			for n, d := range m.Manifests[1:] {
				if r := c.want[n]; d.Digest != r.Digest || d.ArtifactType != r.ArtifactType || d.Annotations[annotationTag] != r.Tag || d.Annotations[annotationRefName] != "" {
					t.Errorf("index.json has %+v, want %+v", d, r)
				}
				img, err := p.Image(d.Digest)
				if err != nil {
					t.Fatal(err)
				}
				layers, err := img.Layers()
				if err != nil || len(layers) != 1 {
					t.Fatalf("%d layers: %v", len(layers), err)
				}
				blob, err := layers[0].Compressed()
				if err != nil {
					t.Fatal(err)
				}
				want, err := layers[0].Digest()
				if err != nil {
					t.Fatal(err)
				}
				if got, _, err := v1.SHA256(blob); err != nil || got != want {
					t.Errorf("%s is %s: %v", want, got, err)
				}
				blob.Close()
				if _, err := img.RawConfigFile(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
