package chart_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/render/chart"
)

// metadata is the Chart.yaml of most tests.
const metadata = `-- app/Chart.yaml --
# The chart of app.
apiVersion: v2
name: app
version: 0.1.0 # of the chart
appVersion: "1.0"
`

// tree writes the files of a txtar archive and returns the directory.
func tree(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load reads the chart app of a txtar archive.
func load(t testing.TB, archive string) *chart.Chart {
	t.Helper()
	c, err := chart.Load(chart.Location{Tree: tree(t, archive), Path: "app"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// render returns the lines of a chart's objects, each behind the place that it was made by.
func render(t *testing.T, c *chart.Chart, o chart.Options) string {
	t.Helper()
	objects, err := c.Render(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, o := range objects {
		b.WriteString("--- " + strings.Join(o.Hooks, ",") + "\n")
		for i, line := range strings.Split(strings.TrimRight(string(o.Text), "\n"), "\n") {
			b.WriteString(strings.TrimPrefix(o.Origin(i+1), "app/") + "| " + line + "\n")
		}
	}
	return b.String()
}

func TestRender(t *testing.T) {
	c := load(t, metadata+`dependencies:
- {name: sub, version: 1.0.0}
- {name: twice, alias: one, version: 1.0.0}
- {name: twice, alias: two, version: 1.0.0}
-- app/values.yaml --
image: {repository: example.com/app, tag: ""}
labels: {b: "2", a: "1"}
worker: {enabled: true}
-- app/crds/things.yaml --
kind: CustomResourceDefinition
-- app/templates/_names.tpl --
{{- define "app.name" -}}
{{ .Release.Name }}-{{ .Chart.Name | trunc 63 }}
{{- end }}
{{- define "app.labels" }}
labels:
  name: {{ include "app.name" . }}
  {{- toYaml .Values.labels | nindent 2 }}
{{- end }}
-- app/templates/NOTES.txt --
Thank you.
-- app/templates/app.yaml --
{{- if .Values.worker.enabled }}
kind: Deployment
metadata:
  name: {{ include "app.name" . }}
  {{- include "app.labels" . | nindent 2 }}
spec:
  image: "{{ .Values.image.repository }}:
    {{- .Values.image.tag | default .Chart.AppVersion }}"
  list:
    {{- range $k, $v := .Values.labels }}
    - {{ $k }}
    {{- end }}
  namespace: {{ .Release.Namespace }}
{{- end }}
---
# Nothing else.
---
kind: Pod
metadata:
  annotations: {helm.sh/hook: "test, post-install"}
---
{{- if true -}}
kind: Job
metadata: {}
{{- end }}
-- app/charts/sub/Chart.yaml --
apiVersion: v2
name: sub
version: 1.0.0
-- app/charts/sub/templates/sub.yaml --
kind: {{ .Values.kind | default "Secret" }}
-- app/charts/twice/Chart.yaml --
apiVersion: v2
name: twice
version: 1.0.0
-- app/charts/twice/crds/twice.yaml --
kind: CustomResourceDefinition
spec: {}
`)
	want := `--- 
crds/things.yaml:1| kind: CustomResourceDefinition
--- 
charts/twice/crds/twice.yaml:1| kind: CustomResourceDefinition
charts/twice/crds/twice.yaml:2| spec: {}
--- 
charts/sub/templates/sub.yaml:1| kind: Secret
--- 
templates/app.yaml:2| 
templates/app.yaml:2| kind: Deployment
templates/app.yaml:3| metadata:
templates/app.yaml:4|   name: demo-app
templates/_names.tpl:5|   
templates/_names.tpl:5|   labels:
templates/_names.tpl:6|     name: demo-app
templates/app.yaml:5|     a: "1"
templates/app.yaml:5|     b: "2"
templates/app.yaml:6| spec:
templates/app.yaml:7|   image: "example.com/app:1.0"
templates/app.yaml:9|   list:
templates/app.yaml:11|     - a
templates/app.yaml:11|     - b
templates/app.yaml:13|   namespace: prod
--- test,post-install
templates/app.yaml:18| kind: Pod
templates/app.yaml:19| metadata:
templates/app.yaml:20|   annotations: {helm.sh/hook: "test, post-install"}
--- 
templates/app.yaml:21| kind: Job
templates/app.yaml:24| metadata: {}
`
	if d := cmp.Diff(want, render(t, c, chart.Options{Release: "demo", Namespace: "prod"})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestRenderBad(t *testing.T) {
	for name, test := range map[string]struct{ files, want string }{
		"no value": {
			"-- app/templates/a.yaml --\na:\n  b: {{ .Values.a.b }}\n",
			"app/templates/a.yaml:2:15: at <.Values.a.b>: nil pointer evaluating interface {}.b: " +
				"correct the template, or give it the values that it needs",
		},
		"required": {
			"-- app/templates/a.yaml --\na: {{ required \"set the domain\" .Values.domain }}\n",
			"app/templates/a.yaml:1:6: set the domain: correct the template, or give it the values that it needs",
		},
		"syntax": {
			"-- app/templates/a.yaml --\na:\n{{ if }}\n",
			"app/templates/a.yaml:2: missing value for if: correct the template, or give it the values that it needs",
		},
		"random": {
			"-- app/templates/a.yaml --\na: b\nc: {{ randAlphaNum 10 }}\n",
			"app/templates/a.yaml:2: the line changes with every rendering, by a random value or the time: " +
				"set the value that it is made from, so that the template does not make one",
		},
		"time": {
			"-- app/templates/a.yaml --\na: {{ now | date \"2006-01-02\" }}\n",
			"app/templates/a.yaml:1: the line changes with every rendering, by a random value or the time: " +
				"set the value that it is made from, so that the template does not make one",
		},
		"schema": {
			"-- app/values.yaml --\na: 1\n-- app/values.schema.json " +
				"--\n{\"properties\":{\"a\":{\"type\":\"string\"}}}\n",
			"app/values.schema.json: the values of chart app do not fit: " +
				"- at '/a': got number, want string: correct them",
		},
		"kube": {
			"-- app/templates/a.yaml --\na: 1\n-- app/Chart.yaml --\napiVersion: v2\nname: " +
				"app\nversion: 1.0.0\nkubeVersion: \"<1.20\"\n",
			"app/Chart.yaml: the chart is for Kubernetes <1.20, not v1.37.0: correct kubeVersion",
		},
		"recursion": {"-- app/templates/a.yaml --\n{{ define \"x\" }}{{ include \"x\" . }}{{ end " +
			"}}{{ include \"x\" . }}\n", "nested reference name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, metadata+test.files).Render(t.Context(), chart.Options{})
			if err == nil ||
				err.Error() != test.want && (name != "recursion" || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Error("the error has several lines")
			}
		})
	}
}

func TestLoadBad(t *testing.T) {
	for name, test := range map[string]struct{ files, want string }{
		"no chart": {
			"-- app/values.yaml --\n",
			"app has no Chart.yaml: name the directory of a chart, or a .tgz",
		},
		"no directory": {"-- x --\n", "chart app does not exist: correct its path"},
		"no version": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: app\n",
			"app/Chart.yaml:1:1: chart.metadata.version is required: correct it; helm lint shows more",
		},
		"bad version": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: app\nversion: one\n",
			"app/Chart.yaml:3:1: chart.metadata.version \"one\" is invalid: correct it; helm lint shows more",
		},
		"bad apiVersion": {
			"-- app/Chart.yaml --\napiVersion: v9\nname: app\nversion: 1.0.0\n",
			"app/Chart.yaml:1:1: apiVersion v9 is unknown: charts have v2, old ones v1",
		},
		"no YAML": {
			"-- app/Chart.yaml --\nname: [\n",
			"app/Chart.yaml:1:1: this is not YAML (did not find expected node content): " +
				"look at indentation, quotes and colons here and just above",
		},
		"bad values": {
			metadata + "-- app/values.yaml --\na: [\n",
			"app/values.yaml:1:1: this is not YAML (did not find expected node content): " +
				"look at indentation, quotes and colons here and just above",
		},
		"missing": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: " +
				"redis, version: 17.x.x, repository: https://charts.example.com}\n",
			"app/Chart.yaml:5:3: dependency redis 17.x.x of https://charts.example.com is not in charts/: " +
				"run helm dependency build app and keep charts/ with the chart",
		},
		"out of the tree": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: " +
				"app\nversion: 1.0.0\ndependencies:\n- {name: " +
				"redis, version: 17.x.x, repository: file://../../redis}\n",
			"app/Chart.yaml:5:3: dependency redis at file://../../redis leads out of the tree " +
				"of the chart: copy it into charts/",
		},
		"other lock": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: " +
				"sub, version: 1.x.x}\n-- app/Chart.lock --\ndependencies:\n- {name: sub, version: " +
				"1.0.0}\ndigest: sha256:00\n-- app/charts/sub/Chart.yaml --\nname: sub\nversion: 1.0.0\n",
			"app/Chart.lock is not of the dependencies in Chart.yaml: run helm dependency update app",
		},
		"two of a range": {
			metadata +
				"dependencies:\n- {name: sub, version: 1.x.x}\n-- app/charts/a/Chart.yaml --\nname: " +
				"sub\nversion: 1.1.0\n-- app/charts/b/Chart.yaml --\nname: sub\nversion: 1.0.0\n",
			"chart app has two charts for the dependency sub 1.x.x in charts/, 1.0.0 and 1.1.0: remove one",
		},
		"two of a name": {
			metadata +
				"-- app/charts/a/Chart.yaml --\nname: a\nversion: 1.0.0\n-- app/charts/a/charts/b/Chart.yaml --\nname: " +
				"sub\nversion: 1.0.0\n-- app/charts/a/charts/c/Chart.yaml --\nname: sub\nversion: 1.0.0\n",
			"chart app has two charts for the name sub in charts/, 1.0.0 and 1.0.0: remove one",
		},
		"to itself": {
			"-- app/Chart.yaml --\napiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: " +
				"sub, version: 17.x.x, repository: file://../app}\n",
			"file:// dependencies nest too deep: does one depend on itself?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chart.Load(chart.Location{Tree: tree(t, test.files), Path: "app"})
			if err == nil ||
				err.Error() != test.want && (name != "to itself" || !strings.HasSuffix(err.Error(), test.want)) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestLoadLinks checks that links are followed within the tree and not out of it, and that
// .helmignore is obeyed.
func TestLoadLinks(t *testing.T) {
	dir := tree(t, metadata+"-- shared.yaml --\na: 1\n-- app/.helmignore --\nsecret\n-- app/secret "+
		"--\nx\n-- app/templates/a.yaml --\na: 1\n")
	if err := os.Symlink("../../shared.yaml", filepath.Join(dir, "app", "templates", "b.yaml")); err != nil {
		t.Fatal(err)
	}
	location := chart.Location{Tree: dir, Path: "app"}
	c, err := chart.Load(location)
	if err != nil {
		t.Fatal(err)
	}
	if names := members(t, c); !slices.Equal(names,
		[]string{"app/Chart.yaml", "app/.helmignore", "app/templates/a.yaml", "app/templates/b.yaml"}) {
		t.Errorf("the chart has %q", names)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "app", "templates", "c.yaml")); err != nil {
		t.Fatal(err)
	}
	want := "app/templates/c.yaml: the link leads nowhere, or out of the tree: replace it by the file"
	if _, err := chart.Load(location); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestPackage(t *testing.T) {
	c := load(t,
		metadata+"-- app/templates/a.yaml --\na: 1\n-- app/charts/sub/Chart.yaml --\nname: sub\nversion: 1.0.0\n")
	changed, err := c.SetVersion("2.0.0+build", "v3: #1")
	if err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 11, 22, 8, 0, 0, 123, time.FixedZone("", 3600))
	var one, two bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &two} {
		if err := changed.Package(b, when); err != nil {
			t.Fatal(err)
		}
		when = when.UTC()
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two packages differ")
	}
	read, err := chart.Read("app.tgz", &one)
	if err != nil {
		t.Fatal(err)
	}
	if read.Version() != "2.0.0+build" || read.AppVersion() != "v3: #1" || c.Version() != "0.1.0" {
		t.Errorf("%s %s, before %s", read.Version(), read.AppVersion(), c.Version())
	}
	want := "# The chart of app.\napiVersion: v2\nname: app\nversion: " +
		"2.0.0+build # of the chart\nappVersion: \"v3: #1\"\n"
	if got := content(t, read, "app/Chart.yaml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A packaged chart as a subchart is the same as its files.
	dir := tree(t, strings.ReplaceAll(metadata, "name: app", "name: top")+"-- app/charts/x --\n")
	if err := os.Remove(filepath.Join(dir, "app/charts/x")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "app/charts/app-2.tgz"), two.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	top, err := chart.Load(chart.Location{Tree: dir, Path: "app"})
	if err != nil {
		t.Fatal(err)
	}
	if names := members(t, top); !slices.Contains(names, "top/charts/app-2/charts/sub/Chart.yaml") {
		t.Errorf("the chart has %q", names)
	}
}
