package engines_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/chart"
)

// TestCharts makes a chart whose images the product has under their names, under another
// repository, by a mapping of release.images and by a tag of images.txt.
func TestCharts(t *testing.T) {
	const images = "metrics: {enabled: false, image: \"ghcr.io/me/tools:v0\", docs: " +
		"\"ghcr.io/me/tools:v0\", repository: example.com/unknown}\nown: slipway.local/kpack/app:old\nelsewhere: " +
		"{repository: ghcr.io/me/tools, tag: v0}\nmapped: quay.io/team/lifecycle-amd64:3\nparty: " +
		"registry.k8s.io/pause:3.10\nother: example.com/unknown:1\n"
	p, l := rendertest.Small(t, map[string]string{
		"app/Chart.yaml":  "apiVersion: v2\nname: app\nversion: 0.0.1\n",
		"app/values.yaml": images,
		"app/templates/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - image: " +
			"{{ .Values.own }}\n  - image: {{ .Values.elsewhere.repository }}:{{ .Values.elsewhere.tag }}\n" +
			"  - image: {{ .Values.mapped }}\n  - image: {{ .Values.party }}\n  - image: {{ .Values.other " +
			"}}\n{{- if .Values.metrics.enabled }}\n  - image: {{ .Values.metrics.image }}\n{{- end }}\n",
	})
	p.Images = []product.Image{{Name: "app", Version: "0.16.1"}, {
		Name: "tools", Version: "0.16.1",
		Elsewhere: []string{"ghcr.io/me/tools"},
	}, {Name: "lifecycle", Version: "0.16.1"}}
	p.Release.Images = []product.ImageMapping{{Reference: "quay.io/team/lifecycle-*", Image: "lifecycle"}}
	p.Charts = []product.Chart{{
		Template: product.Template{Path: "deploy/app"}, Name: "app", Version: "1.2.3",
		AppVersion: "v1",
	}}
	made, err := render.Charts(t.Context(), p, l)
	if err != nil {
		t.Fatal(err)
	}
	if c := made[0]; c.Version() != "1.2.3" || c.AppVersion() != "v1" || len(c.Cases) != 1 {
		t.Errorf("the chart is %s %s with cases %v", c.Version(), c.AppVersion(), c.Cases)
	}
	want := []chart.Unrendered{{
		Pos:  yamlfile.Pos{File: "deploy/app/values.yaml", Line: 1, Column: 34},
		Path: "metrics.image", Reference: "ghcr.io/me/tools:v0",
	}}
	if d := cmp.Diff(want, made[0].Unrendered); d != "" {
		t.Errorf("values that no case renders (-want +got)\n%s", d)
	}
	objects, err := made[0].Render(t.Context(), chart.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tag := ":" + l.Images[0].Tags[0]
	for _, want := range []string{
		"slipway.local/kpack/app" + tag + "@" + storetest.MadeUpDigest(1).String(),
		"slipway.local/kpack/tools" + tag + "@" + storetest.MadeUpDigest(2).String(),
		"slipway.local/kpack/lifecycle" + tag + "@" + storetest.MadeUpDigest(3).String(),
		"registry.k8s.io/pause:3.10@" + storetest.MadeUpDigest(9).String(),
		"example.com/unknown:1",
	} {
		if !strings.Contains(string(objects[0].Text), "image: "+want+"\n") {
			t.Errorf("no image %s in\n%s", want, objects[0].Text)
		}
	}
}

// TestMappedInRelease renders a chart of slipway.yaml into release.yaml: with the images that are
// named for its values there, too, each by its digest alone, as the lock has it.
func TestMappedInRelease(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{
		"app/Chart.yaml":  "apiVersion: v2\nname: app\nversion: 0.0.1\n",
		"app/values.yaml": "image: {repository: example.com/any, tag: old}\n",
		"app/templates/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: " +
			"a, image: \"{{ .Values.image.repository }}:{{ .Values.image.tag }}\"}\n",
	})
	at := product.Template{Path: "deploy/app"}
	p.Charts = []product.Chart{{
		Template: at, Name: "app", Version: "1.2.3",
		Images: []product.ChartImage{{Path: "image", Image: "app"}},
	}}
	p.Release = product.Release{Helm: []product.Helm{{Template: at, Chart: "app", Name: "a"}}}
	m, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "image: slipway.local/kpack/app@" + storetest.MadeUpDigest(1).String(); !strings.Contains(string(m.Text),
		want) {
		t.Errorf("no %s in\n%s", want, m.Text)
	}
}
