package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// small returns a product with the templates given by file name, in a directory of its own, and a
// lock with the images app (linux), tools (linux and windows) and lifecycle (one manifest with
// the files of both).
func small(t testing.TB, templates map[string]string) (*product.Product, *lock.Lock) {
	t.Helper()
	p := &product.Product{Dir: t.TempDir(), Path: "slipway.yaml", Name: "small", Version: "1.2.3"}
	for name, text := range templates {
		path := filepath.Join(p.Dir, "deploy", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.Release.Templates = []product.Template{{Path: "deploy"}}
	lifecycle := storetest.MadeUpImage(3, "lifecycle", platform.Platform{OS: "linux", Architecture: "amd64"})
	lifecycle.Children[0].ExtraOS = []string{"linux", "windows"}
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion,
		Release:       lock.Release{Name: "small", Version: "1.2.3", Registry: "slipway.local/kpack"},
		Images: []lock.Image{storetest.MadeUpImage(1,
			"app", platform.Platform{OS: "linux", Architecture: "amd64"}), storetest.MadeUpImage(2,
			"tools", platform.Platform{OS: "linux", Architecture: "amd64"},
			platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}), lifecycle},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "registry.k8s.io/pause:3.10", Digest: storetest.MadeUpDigest(9),
				Platforms: []platform.Platform{
					{OS: "linux", Architecture: "amd64"},
					{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"},
				},
			},
			{
				Reference: "busybox:1.36", Digest: storetest.MadeUpDigest(10),
				Platforms: []platform.Platform{{OS: "linux", Architecture: "amd64"}},
			},
			{Reference: "quay.io/offline/tool:1", Omitted: "no registry was named"},
		},
	}
	return p, l
}

// references by what they are called in the tests.
var references = strings.NewReplacer(
	"$APP", "slipway.local/kpack/app@"+storetest.MadeUpDigest(1).String(),
	"$TOOLS", "slipway.local/kpack/tools@"+storetest.MadeUpDigest(2).String(),
	"$LIFECYCLE", "slipway.local/kpack/lifecycle@"+storetest.MadeUpDigest(3).String(),
	"$PAUSE", "registry.k8s.io/pause@"+storetest.MadeUpDigest(9).String(),
	"$BUSYBOX", "docker.io/library/busybox@"+storetest.MadeUpDigest(10).String(),
	"$OFFLINE", "quay.io/offline/tool@"+storetest.MadeUpDigest(11).String(),
	"$OTHER", storetest.MadeUpDigest(99).String(),
)

// deployment returns a Deployment demo/app on Linux whose container main has the fields given.
func deployment(container string) string {
	return references.Replace(`apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: demo}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/os: linux}
      containers:
      - name: main
        ` + strings.ReplaceAll(container, "\n", "\n        ") + "\n")
}

// configMap returns a ConfigMap demo/NAME with one key.
func configMap(name, key, value string) string {
	return references.Replace("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
		", namespace: demo}\ndata:\n  " + key + ": " + value + "\n")
}

// TestPlain renders a small product whose templates are plain YAML, beside files that ytt does
// not take for templates.
func TestPlain(t *testing.T) {
	p, l := small(t, map[string]string{
		"README.md": "no template",
		"b/app.yaml": references.Replace(`# A comment of its own.
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
	forgotten := strings.ReplaceAll(deployment("image: $APP"), "      nodeSelector: {kubernetes.io/os: linux}\n", "")
	p, l := small(t, map[string]string{
		"a.yaml": strings.ReplaceAll(forgotten, "name: app", "name: forgotten"),
		"b.yaml": strings.ReplaceAll(strings.ReplaceAll(forgotten, "Deployment", "StatefulSet"),
			"    spec:\n", "    spec:\n      nodeSelector: {disk: fast}\n"),
		"c.yaml": strings.ReplaceAll(references.Replace(strings.ReplaceAll(deployment("image: $TOOLS"),
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
			templates: map[string]string{"ns.yaml": ok, "app.yaml": deployment("image: $APP")},
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
			templates: map[string]string{"app.yaml": deployment("image: $APP")},
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
			templates: map[string]string{"app.yaml": deployment("image: $APP")},
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
			p, l := small(t, tt.templates)
			if tt.change != nil {
				tt.change(p)
			}
			_, err := render.Render(t.Context(), p, l, render.Options{})
			wantError(t, err, tt.want)
		})
	}
}

func wantError(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), references.Replace(w)) {
			t.Errorf("the error lacks %q:\n%v", w, err)
		}
	}
}

// TestKustomize renders a kustomization next to a template. Lines are from the files of its base.
func TestKustomize(t *testing.T) {
	p, l := small(t, map[string]string{
		"config/base/app.yaml": strings.ReplaceAll(deployment("image: registry.k8s.io/pause:3.10"),
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
				!strings.Contains(line, references.Replace("$PAUSE")) {
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
	wantError(t, err, []string{"slipway.yaml:3:5: deploy/config has no kustomization.yaml"})
}
