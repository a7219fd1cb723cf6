//go:build !race

package promote_test

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/render/chart"
	_ "github.com/slipway-dev/slipway/render/chart/engine"
)

// charted publishes a chart beside the staged release.
func (g *staged) charted() {
	g.t.Helper()
	c, err := chart.Read("app", bytes.NewReader(storetest.Chart(g.t, g.lock, "app", "0.1.0")))
	if err != nil {
		g.t.Fatal(err)
	}
	a, err := c.Artifact(g.lock.Created, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	g.product.Charts = []product.Chart{{
		Repositories: []string{"demo/charts/app"}, Tags: []string{"0.1.0"},
		FloatingTags: []string{"latest"},
	}}
	r, err := publish.Prepare(g.t.Context(), g.product, g.store, storetest.Built(g.built), quick)
	if err == nil {
		err = r.AddCharts([]*chart.Artifact{a})
	}
	if err == nil {
		err = r.Push(g.t.Context())
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.lock.Charts = r.Lock.Charts
	if err := publish.Move(g.t.Context(), g.store, g.lock, quick); err != nil {
		g.t.Fatal(err)
	}
	g.at.Reset()
}

// values returns the values of a chart in a registry, and its manifest.
func values(t *testing.T, target string) (string, v1.Manifest) {
	t.Helper()
	ref, err := name.ParseReference(target)
	if err != nil {
		t.Fatal(err)
	}
	d, err := remote.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	var m v1.Manifest
	if err := json.Unmarshal(d.Manifest, &m); err != nil {
		t.Fatal(err)
	}
	l, err := remote.Layer(ref.Context().Digest(m.Layers[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	archive, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := chart.Read(target, bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if _, err := c.EditValues(
		func(_ string, b []byte) ([]byte, error) { text = string(b); return b, nil }); err != nil {
		t.Fatal(err)
	}
	return text, m
}

// TestCharts promotes a chart as it is, with new names, and from a bundle.
func TestCharts(t *testing.T) {
	g := stage(t)
	g.charted()
	original := g.lock.Charts[0]
	kept, renamed := separate(t), separate(t)
	done, err := promote.Lock(t.Context(), g.lock, g.options(kept.Host()))
	if err != nil {
		t.Fatal(err)
	}
	if c := done.Destinations[0].Charts; len(c) != 1 || c[0].Digest != original.Digest || c[0].References != 0 {
		t.Errorf("without -rename the chart is %+v", c)
	}
	if text, _ := values(t, kept.Host()+"/demo/charts/app:latest"); !strings.Contains(text, g.lock.Registry) {
		t.Errorf("the values are\n%s", text)
	}

	b := bundletest.Opened(t, g.pack())
	for n, run := range []func(o promote.Options) (*promote.Promoted, error){
		func(o promote.Options) (*promote.Promoted, error) { return promote.Lock(t.Context(), g.lock, o) },
		func(o promote.Options) (*promote.Promoted, error) { return promote.Bundle(t.Context(), b, o) },
	} {
		renamed.Reset()
		o := g.options(renamed.Host() + "/final")
		o.Renames = []promote.Rename{{Old: "demo/agent", New: "agents"}, {Old: "demo/charts", New: "helm"}}
		if n == 1 {
			o.Release, o.From = "", g.at.Host()+"/staging"
		}
		done, err = run(o)
		if err != nil {
			t.Fatal(err)
		}
		c := done.Destinations[0].Charts[0]
		if c.Target != renamed.Host()+"/final/helm/app:0.1.0" || c.Digest == original.Digest || c.References != 6 ||
			c.Existed != (n == 1) {
			t.Errorf("with -rename the chart is %+v", c)
		}
		if writes := renamed.Count("PUT", "/manifests/"); n == 1 && writes != 0 {
			t.Errorf("the bundle's chart is another one than the lock's: %d manifests were put", writes)
		}
	}
	text, m := values(t, renamed.Host()+"/final/helm/app:latest")
	if m.Annotations[chart.OriginalKey] != original.Image().Reference() || strings.Contains(text, "/staging/") {
		t.Errorf("the annotations are %v, the values\n%s", m.Annotations, text)
	}
	for _, want := range []string{
		"    repository: " + renamed.Host() + "/final/agents\n    digest: " + g.lock.Images[1].Digest.String() +
			" # of all platforms\n",
		"  lifecycle: " + renamed.Host() + "/final/demo/lifecycle@" + g.lock.Images[2].Digest.String() + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the values lack\n%s:\n%s", want, text)
		}
	}

	// Copied from another registry, the chart names the images as they were published.
	copied := separate(t)
	fromCopy := g.options(copied.Host())
	fromCopy.From, fromCopy.Charts = kept.Host(), promote.ChartsRename
	if done, err = promote.Lock(t.Context(), g.lock, fromCopy); err != nil {
		t.Fatal(err)
	}
	if c := done.Destinations[0].Charts[0]; c.References != 6 {
		t.Errorf("from a copy the chart is %+v", c)
	}
	if text, m := values(t, copied.Host()+"/demo/charts/app:latest"); strings.Contains(text, "/staging/") ||
		m.Annotations[chart.OriginalKey] != original.Image().Reference() {
		t.Errorf("from a copy the annotations are %v, the values\n%s", m.Annotations, text)
	}

	o := g.options(renamed.Host())
	o.Renames = []promote.Rename{{Old: "demo/charts/app", New: "helm/chart"}}
	_, err = promote.Lock(t.Context(), g.lock, o)
	says(t, err, "does not end with its name, as Helm demands")
}

// pack packs the release.
func (g *staged) pack() string {
	g.t.Helper()
	files, _, err := airgap.Pack(g.t.Context(), g.store, g.lock, []airgap.Target{{Name: "demo-images"}},
		airgap.PackOptions{Dir: filepath.Join(g.t.TempDir(), "dist")})
	if err != nil {
		g.t.Fatal(err)
	}
	return files[0].Path
}

// TestConflictOfChart promotes where only the tag of the chart is taken: no image is sent.
func TestConflictOfChart(t *testing.T) {
	g := stage(t)
	g.charted()
	final := separate(t)
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(final.Repo(t, "demo/charts/app").Tag("0.1.0"), other); err != nil {
		t.Fatal(err)
	}
	final.Reset()
	_, err = promote.Lock(t.Context(), g.lock, g.options(final.Host()))
	says(t, err, final.Host()+"/demo/charts/app:0.1.0 is sha256:", "promote a new version")
	if n := final.Count("P", ""); n != 0 {
		t.Errorf("%d requests wrote although a tag is in the way", n)
	}
}
