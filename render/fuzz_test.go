package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render"
)

// FuzzRead reads and checks manifests of unknown origin: neither panics, whatever the bytes.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		deployment("image: $APP\nenv: [{name: INIT_IMAGE, valueFrom: {configMapKeyRef: {name: a, key: image}}}]") + configMap("a", "image", "$APP"),
		"apiVersion: v1\nkind: List\nitems:\n- 1\n- {apiVersion: v1, kind: List, items: []}\n",
		"a: &a [*a]\n", "? {a: b}\n: c\n", "? [a]\n: !!binary x\n", "!!set {a, b}", "<<: {a: 1}\na: 2\n", "- 1\n---\n...\n", "\t", "'", "{", "a: 2001-01-01\nb: .inf\n1: 2\n",
	} {
		f.Add([]byte(s))
	}
	l := &lock.Lock{Images: []lock.Image{image(1, "app", platform.Platform{OS: "linux", Architecture: "amd64"})}, ThirdParty: []lock.ThirdParty{{Reference: "busybox", Digest: digest(2)}}}
	f.Fuzz(func(_ *testing.T, manifest []byte) {
		docs, err := render.Read("release.yaml", manifest)
		if err == nil {
			_ = render.Check(docs, l)
		}
	})
}

// FuzzRender renders templates of unknown origin: whatever the bytes, there is a manifest or an
// error that says something.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		deployment("image: $APP\nargs: [-image, ko://a/b]"), "{{- if .Values.a }}\na: b\n{{- end }}\n", "a: {{ .Values.b }}\n", "#@ load(\"@ytt:data\", \"data\")\n---\na: #@ data.values.b\n",
		"#@data/values\n---\na: 1\n", "#@data/values-schema\n---\na: 1\n", "#@overlay/match by=overlay.all\n---\na: 1\n", "a: |\n\t", "#! x\n#@ def a():\n--- \n", "a: (@= 1 @)\n", "? {a: b}\n: c\n", "\x00", "\ufeffa: b",
	} {
		f.Add([]byte(s))
	}
	p, l := small(f, map[string]string{"a.yaml": ""})
	path := filepath.Join(p.Dir, "deploy", "a.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := render.Render(t.Context(), p, l, render.Options{}); err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error says nothing")
		}
	})
}
