package render_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// TestEndings checks that each file among templates gives its documents, is an error, or is listed
// as one that gives none.
func TestEndings(t *testing.T) {
	object := func(name string) string { return configMap(name, "key", "value") }
	json := `{"apiVersion": "v1",` + "\n\t" + `"kind": "ConfigMap", "metadata": {"name": "tab"}}`
	for _, c := range []struct{ file, text, want string }{
		{"a.yml", object("yml"), "name: yml"},
		{"a.YAML", object("capitals"), "name: capitals"},
		{"a.Yml", object("mixed"), "name: mixed"},
		{"a.json", json, "name: tab"},
		{"a.JSON", json, "name: tab"},
		{"list.json", `{"apiVersion": "v1", "kind": "List", "items": [` + json + `]}`, "name: tab"},
		{"bom.yaml", "\ufeff" + object("bom"), "name: bom"},
		{"bom.json", "\ufeff" + json, "name: tab"},

		{"utf16.yaml", "\xff\xfea\x00", "deploy/utf16.yaml:1:1: the file is UTF-16: save it as UTF-8"},
		{"utf16.json", "\xfe\xff\x00a", "deploy/utf16.json:1:1: the file is UTF-16: save it as UTF-8"},
		{"latin1.yaml", "a: \xe9\n", "deploy/latin1.yaml:1:4: byte 0xe9 is not UTF-8: save the file as UTF-8"},
		{"b.YAML", object("twice"), "ytt sees templates deploy/b.YAML and deploy/b.yaml both as b.yaml: rename one"},
		{"broken.json", `{"kind": `, "deploy/broken.json"},
		{"half.json", `{"kind": "ConfigMap"}`, "deploy/half.json:1: the document has no apiVersion"},

		{"dashboard.json", `{"panels": []}`, "deploy: release.yaml has no documents of dashboard.json: such a file in a " +
			"directory has apiVersion and kind"},
		{"list.JSON", `[1]`, "deploy: release.yaml has no documents of list.JSON: such"},
		{"sub/README.md", "# x", "deploy: release.yaml has no documents of sub/README.md: they are in files whose names " +
			"end in .yaml, .yml or .json"},
		{"note.txt", "x", "deploy: release.yaml has no documents of note.txt: they"},
		{"code.star", "x = 1\n", ""},
	} {
		p, l := rendertest.Small(t, map[string]string{"b.yaml": object("other"), c.file: c.text})
		got := outcome(t, p, l)
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "deploy") {
			t.Errorf("%s: %s\nwant %s", c.file, got, c.want)
		}
	}
}

// TestNamedTemplate checks that a file that slipway.yaml names gives its documents, or is an error.
func TestNamedTemplate(t *testing.T) {
	const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "named"}}`
	for _, c := range []struct{ file, text, want string }{
		{"a.json", object, "name: named"},
		{"a.YML", object, "name: named"},
		{"dashboard.json", `{"panels": []}`, "deploy/dashboard.json:1: the document has no apiVersion"},
		{
			"README.md", object,
			"template deploy/README.md: its name ends neither in .yaml, .yml nor .json: name a manifest",
		},
		{"a.txt", object, "no templates to render in"},
	} {
		p, l := rendertest.Small(t, map[string]string{c.file: c.text})
		p.Release.Templates = []product.Template{{Path: "deploy/" + c.file}}
		if got := outcome(t, p, l); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.file, got, c.want)
		}
	}
}

// outcome returns release.yaml and what it has nothing of, or the error.
func outcome(t *testing.T, p *product.Product, l *lock.Lock) string {
	t.Helper()
	m, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		return err.Error()
	}
	return strings.Join(append(m.Omitted, string(m.Text)), "\n")
}
