package chart_test

import (
	"testing"

	"github.com/slipway-dev/slipway/render/chart"
)

// TestRenderOnce checks that a chart is rendered once with the same options, and again with others
// and as another version.
func TestRenderOnce(t *testing.T) {
	c := load(t, metadata+
		"-- app/templates/a.yaml --\nversion: {{ .Chart.Version }}\nkind: {{ kindOf .Values.n }} {{ .Values.n }}\n")
	text := func(c *chart.Chart, n any) *byte {
		t.Helper()
		objects, err := c.Render(t.Context(), chart.Options{Values: map[string]any{"n": n}})
		if err != nil {
			t.Fatal(err)
		}
		return &objects[0].Text[0]
	}
	first := text(c, 1)
	if text(c, 1) != first {
		t.Error("it was rendered again")
	}
	if text(c, 1.0) == first {
		t.Error("a number of another type is taken for the same")
	}
	other, err := c.SetVersion("2.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	if text(other, 1) == first {
		t.Error("another version has the objects of the first")
	}
}
