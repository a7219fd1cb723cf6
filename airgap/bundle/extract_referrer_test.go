package bundle_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestExtractReferrers: the referrers of an image go with it, and those of a manifest with that;
// every blob of them is there.
func TestExtractReferrers(t *testing.T) {
	st, l := bundletest.Signed(t, 1000)
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "signed"})[0].Path)
	all, agent := l.Images[0].Referrers, b.Contents().Images[0]
	linux := bundletest.Parse(t, "linux/amd64")
	for name, c := range map[string]struct {
		o    bundle.ExtractOptions
		want []oci.Referrer
	}{
		"whole":         {bundle.ExtractOptions{}, all},
		"one platform":  {bundle.ExtractOptions{Platform: linux}, all[2:3]},
		"without":       {bundle.ExtractOptions{WithoutReferrers: true}, nil},
		"docker":        {bundle.ExtractOptions{Platform: linux, To: "image.tar"}, nil},
		"layout in tar": {bundle.ExtractOptions{Format: bundle.FormatOCI, To: "image.tar"}, all},
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
				if r := c.want[n]; d.Digest != r.Digest || d.ArtifactType != r.ArtifactType ||
					d.Annotations[bundle.AnnotationTag] != r.Tag || d.Annotations[bundle.AnnotationRefName] != "" {
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
