package engines_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// TestKustomize renders a kustomization next to a template. Lines are from the files of its base.
func TestKustomize(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{
		"config/base/app.yaml": strings.ReplaceAll(rendertest.Deployment("image: registry.k8s.io/pause:3.10"),
			"namespace: demo", "labels: {a: b}"),
		"config/base/kustomization.yaml":    "resources: [app.yaml]\n",
		"config/overlay/kustomization.yaml": "resources: [../base]\nnamespace: system\n",
		"ns.yaml":                           "apiVersion: v1\nkind: Namespace\nmetadata: {name: system}\n",
	})
	p.Release.Templates[0].Path = "deploy/ns.yaml"
	p.Release.Kustomize = []product.Template{{Path: "deploy/config/overlay"}}
	m, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(m.Text), "\n") {
		if strings.Contains(line, "image: ") {
			if at := m.Origin(n + 1); at != "deploy/config/base/app.yaml:12" ||
				!strings.Contains(line, rendertest.References.Replace("$PAUSE")) {
				t.Errorf("%s is from %s", line, at)
			}
		}
	}
	if got := string(m.Text); !strings.Contains(got, "kind: Namespace") ||
		!strings.Contains(got, "namespace: system") || strings.Contains(got, "config.kubernetes.io/origin") {
		t.Errorf("got\n%s", got)
	}
	p.Release.Kustomize[0].Path = "deploy/config"
	p.Release.Kustomize[0].Pos = yamlfile.Pos{File: "slipway.yaml", Line: 3, Column: 5}
	_, err = render.Render(t.Context(), p, l, render.Options{})
	rendertest.Fails(t, err, []string{"slipway.yaml:3:5: deploy/config has no kustomization.yaml"})
}
