package render_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/render"
)

// TestTextOrigin renders a text of several lines, as HelmChartConfig has its values: each line is
// from the key that has it, and the next key has a line of its own.
func TestTextOrigin(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{"app.yaml": `apiVersion: helm.cattle.io/v1
kind: HelmChartConfig
metadata: {name: a, namespace: b}
spec:
  list:
  - |
    one: 1
    two: 2
  valuesContent: |
    image:
      repository: example.com/a
      tag: "1"
  z: last
`})
	p.Release.Templates[0].Path = "deploy/app.yaml"
	m, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"two: 2": "6", "image:": "9", "repository: example.com/a": "9", `tag: "1"`: "9", "z: last": "13",
	}
	for n, line := range strings.Split(string(m.Text), "\n") {
		if at := want[strings.TrimSpace(line)]; at != "" {
			if got := m.Origin(n + 1); got != "deploy/app.yaml:"+at {
				t.Errorf("%s is from %q, not line %s", line, got, at)
			}
			delete(want, strings.TrimSpace(line))
		}
	}
	if len(want) > 0 {
		t.Errorf("the text lacks %v:\n%s", want, m.Text)
	}
}
