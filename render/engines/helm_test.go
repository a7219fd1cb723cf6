package engines_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// TestHelm renders a chart into release.yaml: values of slipway.yaml, CRDs, hooks, the lines of
// templates.
func TestHelm(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{
		"chart/Chart.yaml":  "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
		"chart/values.yaml": "image: {repository: registry.k8s.io/acme/app, tag: v0}\nreplicas: 1\n",
		"chart/crds/thing.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: " +
			"{name: things.example.com}\n",
		"chart/templates/app.yaml": strings.Replace(
			rendertest.Deployment("image: {{ .Values.image.repository }}:{{ .Values.image.tag }}"), "namespace: demo",
			"namespace: {{ .Release.Namespace }}, annotations: {version: {{ .Values.version }}}", 1),
		"chart/templates/hook.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: " +
			"{name: \"{{ .Release.Name }}-hook\", annotations: {helm.sh/hook: pre-install}}\n",
		"chart/templates/undo.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: uninstall, annotations: " +
			"{helm.sh/hook: \"pre-delete, Post-Rollback\"}}\n---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: both, annotations: {helm.sh/hook: " +
			"\"post-delete,post-install\"}}\n",
		"chart/templates/tests/it.yaml": "apiVersion: v1\nkind: Pod\nmetadata: " +
			"{name: it, annotations: {helm.sh/hook: test}}\n",
	})
	p.Release.Templates = nil
	p.Images = []product.Image{{Name: "app", Version: "0.16.1", Elsewhere: []string{"registry.k8s.io/acme/app"}}}
	p.Release.Helm = []product.Helm{{
		Template: product.Template{Path: "deploy/chart", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 7, Column: 9}},
		Name:     "rel", Namespace: "system", Values: map[string]any{"version": "v{{.Version}}"},
	}}
	var printed bytes.Buffer
	m, err := render.Render(t.Context(), p, l, render.Options{Progress: progress.New(&printed)})
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.Text)
	for _, want := range []string{
		"kind: CustomResourceDefinition", "name: rel-hook", "name: both", "namespace: system",
		"version: v1.2.3", rendertest.References.Replace("image: $APP\n"),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("release.yaml lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "name: it") || strings.Contains(text, "uninstall") ||
		strings.Index(text, "CustomResourceDefinition") > strings.Index(text, "Deployment") {
		t.Errorf("got\n%s", text)
	}
	for n, line := range strings.Split(text, "\n") {
		if strings.Contains(line, " image: ") && m.Origin(n+1) != "deploy/chart/templates/app.yaml:12" {
			t.Errorf("%s is from %s", line, m.Origin(n+1))
		}
	}
	for _, want := range []string{
		"deploy/chart/templates/hook.yaml:1: ConfigMap rel-hook is a hook (pre-install) for Helm, and an object",
		"deploy/chart/templates/undo.yaml:1: Job uninstall is a hook (pre-delete, post-rollback) for Helm, " +
			"and is omitted from release.yaml",
	} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("printed %q, want %q", printed.String(), want)
		}
	}
	p.Release.Helm[0].Path = "deploy/nothing"
	_, err = render.Render(t.Context(), p, l, render.Options{})
	rendertest.Fails(t, err, []string{"slipway.yaml:7:9: chart deploy/nothing does not exist"})
}
