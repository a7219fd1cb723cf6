//go:build !race

package renaming_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/render/chart"
	_ "github.com/slipway-dev/slipway/render/chart/engine"
)

// TestPushChart pushes a bundle with a chart, twice: in the registry the chart names the images
// there, by the same digests.
func TestPushChart(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/app", "1.2.3+build.4")
	l.Charts[0].Referrers = []oci.Referrer{bundletest.Attached(t, st, "application/x-signature",
		"of the chart", "", l.Charts[0].Image().Descriptor())}
	dir := t.TempDir()
	b, r := bundletest.Opened(t, bundletest.Pack(t, st, l, dir, airgap.Target{Name: "demo-images"})[0].Path),
		registrytest.Serve(t)
	o := bundletest.To(r)
	o.Release = filepath.Join(dir, "release.yaml")
	if err := os.WriteFile(o.Release, []byte("apiVersion: v1\nkind: Pod\nimage: "+l.Images[1].Reference()+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	// Where only the tag of the chart is taken, no image is sent.
	taken := registrytest.Serve(t)
	other, err := random.Image(100, 1)
	if err == nil {
		err = remote.Write(reference(t, taken.Host()+"/mirror/demo/charts/app:1.2.3_build.4"), other)
	}
	if err != nil {
		t.Fatal(err)
	}
	taken.Reset()
	elsewhere := o
	elsewhere.To = taken.Host() + "/mirror"
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, elsewhere); err == nil ||
		!strings.Contains(err.Error(), "in the registry already") || taken.Count("P", "") != 0 {
		t.Errorf("where the tag of the chart is taken: %v, %d requests wrote", err, taken.Count("P", ""))
	}
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Charts) != 1 {
		t.Fatalf("the charts are %+v", p.Charts)
	}
	c := p.Charts[0]
	if c.Original != l.Charts[0].Digest || c.References != 2*len(l.Images) || c.Untouched != nil ||
		strings.Contains(c.Reference, c.Original.String()) || p.Referrers != 1 {
		t.Errorf("the chart is %+v, with %d referrers", c, p.Referrers)
	}
	made, archive := pulled(t, c.Target)
	if made.Annotations[chart.OriginalKey] != l.Charts[0].Image().Reference() ||
		made.Annotations["org.opencontainers.image.version"] != "1.2.3+build.4" {
		t.Errorf("the annotations are %v", made.Annotations)
	}
	if _, original := pulled(t, strings.TrimSuffix(c.Target, ":1.2.3_build.4")+
		"@"+c.Original.String()); !bytes.Equal(original, bundletest.Read(t, st, l.Charts[0].File.Digest)) {
		t.Error("the original is not in the registry")
	}
	has, err := chart.Read(c.Target, bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := has.Render(t.Context(), chart.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, o := range objects {
		all.Write(o.Text)
	}
	for _, i := range l.Images {
		want := r.Host() + "/mirror/demo/" + i.Name + "@" + i.Digest.String()
		if strings.Count(all.String(), want) != 2 || strings.Contains(all.String(), "slipway.local") {
			t.Errorf("the chart does not make %s twice:\n%s", want, all.String())
		}
	}
	host := strings.ReplaceAll(r.Host(), ":", "-") + "-mirror"
	if file, err := os.ReadFile(filepath.Join(dir, "app-1.2.3+build.4."+host+".tgz")); err != nil ||
		!bytes.Equal(file, archive) {
		t.Errorf("the file of the chart has %d bytes, the registry %d: %v", len(file), len(archive), err)
	}
	latest, err := remote.Head(reference(t, strings.TrimSuffix(c.Target, "1.2.3_build.4")+"latest"))
	if err != nil || c.Reference != r.Host()+"/mirror/demo/charts/app@"+latest.Digest.String() {
		t.Errorf("latest is %v: %v", latest, err)
	}

	r.Reset()
	p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	calls, sent := r.Reset()
	if n := registrytest.Count(calls, "PUT", ""); n != 0 || sent != 0 || !p.Charts[0].Existed {
		t.Errorf("the second push put %d documents and sent %d bytes", n, sent)
	}
}

func reference(t *testing.T, s string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(s)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// pulled returns a chart in a registry.
func pulled(t *testing.T, s string) (m v1.Manifest, archive []byte) {
	t.Helper()
	d, err := remote.Get(reference(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.Manifest, &m); err != nil {
		t.Fatal(err)
	}
	l, err := remote.Layer(reference(t, s).Context().Digest(m.Layers[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	z, err := l.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if archive, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return m, archive
}

// TestPushChartConflict pushes a chart whose tag names another chart.
func TestPushChartConflict(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/app", "1.2.3")
	b, r := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path),
		registrytest.Serve(t)
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	l.Charts = nil
	l.Images = l.Images[:2]
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/app", "1.2.3")
	b = bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path)
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	bundletest.Says(t, err, r.Host()+"/mirror/demo/charts/app:1.2.3 is sha256:", "another prefix")
}
