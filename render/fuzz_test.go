package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/render"
)

// FuzzRender renders templates of unknown origin: whatever the bytes, there is a manifest or an
// error that says something.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		rendertest.Deployment("image: $APP\nargs: [-image, ko://a/b]"), "{{- if .Values.a }}\na: b\n{{- end }}\n",
		"a: {{ .Values.b }}\n", "#@ load(\"@ytt:data\", \"data\")\n---\na: #@ data.values.b\n",
		"#@data/values\n---\na: 1\n", "#@data/values-schema\n---\na: 1\n",
		"#@overlay/match by=overlay.all\n---\na: 1\n", "a: |\n\t", "#! x\n#@ def a():\n--- \n", "a: (@= 1 @)\n",
		"? {a: b}\n: c\n", "\x00", "\ufeffa: b",
	} {
		f.Add([]byte(s))
	}
	p, l := rendertest.Small(f, map[string]string{"a.yaml": ""})
	path := filepath.Join(p.Dir, "deploy", "a.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := render.Render(t.Context(), p, l, render.Options{}); err != nil &&
			strings.TrimSpace(err.Error()) == "" {
			t.Error("an error says nothing")
		}
	})
}
