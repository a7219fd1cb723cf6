package chart_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/render/chart"
)

// FuzzRead reads archives of unknown origin: there is a chart, which reads the same again when it
// is packaged, or an error of one line.
func FuzzRead(f *testing.F) {
	yaml := member("app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
	for _, b := range [][]byte{
		packed(f), packed(f, yaml), packed(f, yaml)[:40], packed(f, yaml, member("app/values.yaml", "a: [\n")),
		packed(f, yaml, member("app/../x", "")),
		packed(f, yaml, member("app/charts/sub-1.tgz",
			string(packed(f, member("sub/Chart.yaml", "name: sub\nversion: 1.0.0\n"))))), []byte("x"),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := chart.Read("app.tgz", bytes.NewReader(b))
		if err != nil {
			if s := err.Error(); s == "" || strings.Contains(s, "\x00") {
				t.Errorf("the error is %q", s)
			}
			return
		}
		var one, two bytes.Buffer
		if err := c.Package(&one, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		again, err := chart.Read("app.tgz", bytes.NewReader(one.Bytes()))
		if err != nil {
			t.Fatalf("what was packaged cannot be read: %v", err)
		}
		if err := again.Package(&two, time.Unix(0, 0)); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("packaged again it differs: %v", err)
		}
	})
}

// FuzzPin pins an image in values of unknown origin: the result has the digest and renders, or
// there is an error.
func FuzzPin(f *testing.F) {
	for _, s := range []string{
		"image: {repository: example.com/team/app, tag: v1.0}",
		"image:\n  repository: example.com/team/app # x\n  tag: \"v1.0\"\n",
		"image: &a\n  repository: example.com/team/app\n  tag: 1.0\nb: *a",
		"image:\n  repository: 'example.com/team/app'\n  digest: ''\n", "image: []", "image: {tag: |\n  x\n}",
		"\ufeffimage: {repository: example.com/team/app, tag: >-\n   v1.0}", "- a", "",
	} {
		f.Add(s)
	}
	app := metadata + "-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image.repository " +
		"}}:{{ .Values.image.tag | default \"v1.0\" }}{{ with .Values.image.digest }}@{{ . }}{{ end }}\n"
	f.Fuzz(func(t *testing.T, values string) {
		if strings.Contains(values, "-- ") {
			t.Skip("it would be another file of the test")
		}
		c, err := chart.Load(chart.Location{Tree: tree(t, app+"-- app/values.yaml --\n"+values+"\n"), Path: "app"})
		if err != nil {
			return
		}
		pinned, err := c.Pin(t.Context(), chart.PinOptions{Find: find})
		if err != nil {
			return
		}
		if _, err := pinned.Render(t.Context(), chart.Options{}); err != nil {
			t.Errorf("the pinned chart does not render: %v", err)
		}
	})
}
