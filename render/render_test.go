package render_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// configMap returns a ConfigMap demo/NAME with one key.
func configMap(name, key, value string) string {
	return rendertest.References.Replace("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
		", namespace: demo}\ndata:\n  " + key + ": " + value + "\n")
}

// TestPlain renders a small product whose templates are plain YAML, beside files that ytt does
// not take for templates.
func TestPlain(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{
		"README.md": "no template",
		"b/app.yaml": rendertest.References.Replace(`# A comment of its own.
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: app, namespace: small}
spec:
  selector: {matchLabels: {app: small}}
  template:
    metadata: {labels: {app: small}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux, windows]}]
      initContainers:
      - {name: first, image: $TOOLS}
      containers:
      - {name: tools, image: $TOOLS, env: [{name: SIDECAR_IMAGE, value: $PAUSE}, {name: EMPTY, value: ""}]}
---
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: app, namespace: small}, spec: {ports: [{port: 80}]}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: small}, data: {key: value}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: other}, data: {key: value}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: notes, namespace: small}, data: {version: "1.20", "on": "yes"}}
`),
		"a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: small\n---\n" +
			"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: big, number: 010}\n",
	})
	p.Release.Env = []product.WorkloadEnv{{
		Kind: "DaemonSet", Namespace: "small", Name: "app", Container: "tools",
		Variables: []product.Variable{
			{Name: "EMPTY", Value: "v{{.Version}}"},
			{Name: "WINDOWS_IMAGE", Value: `{{image "lifecycle"}}`},
		},
	}, {
		Kind: "DaemonSet", Namespace: "small", Name: "app", Container: "first",
		Variables: []product.Variable{{Name: "STAGE", Value: "first"}},
	}}
	got, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/plain.yaml", string(got.Text))
}

// TestOverlay: overlays/linux.yaml selects Linux where a template does not, and leaves a system
// that is named.
func TestOverlay(t *testing.T) {
	forgotten := strings.ReplaceAll(rendertest.Deployment("image: $APP"), "      nodeSelector: {kubernetes.io/os: linux}\n", "")
	p, l := rendertest.Small(t, map[string]string{
		"a.yaml": strings.ReplaceAll(forgotten, "name: app", "name: forgotten"),
		"b.yaml": strings.ReplaceAll(strings.ReplaceAll(forgotten, "Deployment", "StatefulSet"),
			"    spec:\n", "    spec:\n      nodeSelector: {disk: fast}\n"),
		"c.yaml": strings.ReplaceAll(rendertest.References.Replace(strings.ReplaceAll(rendertest.Deployment("image: $TOOLS"),
			"os: linux", "os: windows")), "name: app", "name: on-windows"),
		"d.yaml": configMap("notes", "version", "v1"),
	})
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	p.Sources = []product.Source{{Name: "slipway", Directory: root, Revision: "r", Created: time.Unix(1, 0)}}
	p.Release.Templates = append(p.Release.Templates, product.Template{Source: "slipway", Path: "overlays/linux.yaml"})
	got, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/overlay.yaml", string(got.Text))
}

// TestRefuses holds what rendering itself refuses.
func TestRefuses(t *testing.T) {
	ok := "apiVersion: v1\nkind: Namespace\nmetadata: {name: demo}\n"
	schema := "#@data/values-schema\n---\nimage: x\nreplicas: 1\n"
	for _, tt := range []struct {
		name      string
		templates map[string]string
		change    func(*product.Product)
		want      []string
	}{
		{
			name:      "unknown value",
			templates: map[string]string{"schema.yaml": schema, "ns.yaml": ok},
			change:    func(p *product.Product) { p.Release.Values = map[string]any{"imgae": "x"} },
			want:      []string{"slipway.yaml", "release.values:", "1 | imgae: x", "hint: did you mean"},
		},
		{
			name:      "value of another type",
			templates: map[string]string{"schema.yaml": schema, "ns.yaml": ok},
			change:    func(p *product.Product) { p.Release.Values = map[string]any{"replicas": "two"} },
			want:      []string{"release.values:", "1 | replicas: two", "integer"},
		},
		{
			name:      "unknown image in a value",
			templates: map[string]string{"ns.yaml": ok},
			change: func(p *product.Product) {
				p.Release.Values = map[string]any{"a": map[string]any{"b": []any{"", `{{image "nothing"}}`}}}
				p.Release.ValuePos = map[string]yamlfile.Pos{"a.b[1]": {File: "slipway.yaml", Line: 9, Column: 5}}
			},
			want: []string{"slipway.yaml:9:5: release.values.a.b[1]", `"nothing"`},
		},
		{
			name:      "template syntax",
			templates: map[string]string{"ns.yaml": ok, "sub/bad.yaml": "kind: #@ data.values.(\n"},
			want:      []string{"sub/bad.yaml:1"},
		},
		{
			name:      "YAML syntax",
			templates: map[string]string{"bad.yaml": "a: 1\n  b: [\n"},
			want:      []string{"bad.yaml", "line 2"},
		},
		{
			name: "a Helm template on which ytt panics",
			templates: map[string]string{"ns.yaml": ok, "helm.yaml": "{{- if .Values.enabled }}\napiVersion: " +
				"v1\nkind: ConfigMap\nmetadata:\n  name: {{ include \"x.name\" . }}\n{{- end }}\n"},
			want: []string{"deploy/helm.yaml:1:1: this is a Helm template, not YAML: render it with helm template"},
		},
		{
			name: "a Helm template that ytt reads as something else",
			templates: map[string]string{"helm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n " +
				" name: {{ .Values.name }}\n"},
			want: []string{"deploy/helm.yaml:4:9: this is a Helm template, not YAML"},
		},
		{
			name:      "a Go template of another program",
			templates: map[string]string{"vm.yaml": "{{- if .Namespace }}\napiVersion: v1\n{{- end }}\n"},
			want: []string{"deploy/vm.yaml:1:1: this is a Go template, not YAML: " +
				"name what its program makes of it"},
		},
		{
			name:      "a kustomization",
			templates: map[string]string{"ns.yaml": ok, "kustomization.yaml": "resources: [ns.yaml]\n"},
			want: []string{"deploy/kustomization.yaml:1: this is a kustomization, not a Kubernetes object: " +
				"name its directory under release.kustomize"},
		},
		{
			name: "a kustomization by its apiVersion",
			templates: map[string]string{
				"ns.yaml":  ok,
				"all.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [ns.yaml]\n",
			},
			want: []string{"deploy/all.yaml:1: this is a kustomization, not a Kubernetes object: " +
				"name its directory under release.kustomize"},
		},
		{
			name:      "text on which ytt panics",
			templates: map[string]string{"bad.yaml": "a: {- b}\n"},
			want: []string{"deploy/bad.yaml:1:1: this is not YAML (did not find expected " +
				"node content): look at indentation"},
		},
		{
			name:      "no such template",
			templates: map[string]string{"ns.yaml": ok},
			change:    func(p *product.Product) { p.Release.Templates[0].Path = "nowhere" },
			want:      []string{"template nowhere does not exist", "slipway.yaml"},
		},
		{
			name:      "no templates",
			templates: map[string]string{"ns.yaml": ok},
			change:    func(p *product.Product) { p.Release.Templates = nil },
			want:      []string{"no templates to render"},
		},
		{
			name:      "two files of one name",
			templates: map[string]string{"ns.yaml": ok},
			change: func(p *product.Product) {
				p.Release.Templates = append(p.Release.Templates, p.Release.Templates[0])
			},
			want: []string{"deploy/ns.yaml", "both as ns.yaml"},
		},
		{
			name:      "no object",
			templates: map[string]string{"ns.yaml": ok + "---\nkind: Namespace\n---\nmetadata: {name: x}\n"},
			want:      []string{"deploy/ns.yaml:4: the document has no apiVersion", "deploy/ns.yaml:6:"},
		},
		{
			name: "a key twice",
			templates: map[string]string{
				"ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n  name: m\n",
			},
			want: []string{"deploy/ns.yaml:5: duplicate key metadata.name"},
		},
		{
			name:      "no such workload",
			templates: map[string]string{"ns.yaml": ok, "app.yaml": rendertest.Deployment("image: $APP")},
			change: func(p *product.Product) {
				p.Release.Env = []product.WorkloadEnv{
					{
						Kind: "Deployment", Namespace: "demo", Name: "other",
						Container: "main", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 9, Column: 11},
					},
					{Kind: "Deployment", Namespace: "other", Name: "app", Container: "main"},
					{Kind: "DaemonSet", Namespace: "demo", Name: "app", Container: "main"},
				}
			},
			want: []string{
				"slipway.yaml:9:11: release.env: the templates make no Deployment demo/other: " +
					"name one of Deployment demo/app",
				"no Deployment other/app:", "no DaemonSet demo/app:",
			},
		},
		{
			name:      "no such container",
			templates: map[string]string{"app.yaml": rendertest.Deployment("image: $APP")},
			change: func(p *product.Product) {
				p.Release.Env = []product.WorkloadEnv{{
					Kind: "Deployment", Namespace: "demo", Name: "app",
					Container: "other",
				}}
			},
			want: []string{`Deployment demo/app has no container "other": name one of main`},
		},
		{
			name:      "unknown image in a variable",
			templates: map[string]string{"app.yaml": rendertest.Deployment("image: $APP")},
			change: func(p *product.Product) {
				p.Release.Env = []product.WorkloadEnv{{
					Kind: "Deployment", Namespace: "demo", Name: "app", Container: "main",
					Variables: []product.Variable{{Name: "X", Value: `{{image "nothing"}}`}},
				}}
			},
			want: []string{"release.env: X", `"nothing"`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, l := rendertest.Small(t, tt.templates)
			if tt.change != nil {
				tt.change(p)
			}
			_, err := render.Render(t.Context(), p, l, render.Options{})
			rendertest.Fails(t, err, tt.want)
		})
	}
}
