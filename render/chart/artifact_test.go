package chart_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/render/chart"
)

// TestArtifact packages a chart as Helm keeps it in a registry. TestHelm in test/registries
// compares one with what "helm push" makes.
func TestArtifact(t *testing.T) {
	c, err := chart.Read("app.tgz", bytes.NewReader(packed(t,
		member("app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.2.3+4\nappVersion: v9\ndescription: "+
			"' '\nhome: https://example.com\n"+
			"sources: [https://one.example, https://two.example]\nmaintainers: [{name: A, email: "+
			"a@example.com}, {name: B}]\n"+
			"annotations: {org.opencontainers.image.version: other, own: "+
			"'', org.opencontainers.image.licenses: MIT}\n"),
		member("app/values.yaml", "a: 1\n"),
		member("app/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"),
		member("app/charts/sub/values.yaml", "a: 2\n"), member("app/templates/values.yaml", "a: 3\n"))))
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	a, err := c.Artifact(created, map[string]string{"more": "text"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Artifact(created.UTC(), map[string]string{"more": "text"})
	if err != nil || !bytes.Equal(a.Manifest, again.Manifest) || !bytes.Equal(a.Archive, again.Archive) {
		t.Errorf("two artifacts of one chart differ: %v", err)
	}
	var m v1.Manifest
	if err := json.Unmarshal(a.Manifest, &m); err != nil {
		t.Fatal(err)
	}
	const prefix = "org.opencontainers.image."
	if d := cmp.Diff(map[string]string{
		prefix + "title": "app", prefix + "version": "1.2.3+4", prefix + "created": "2026-01-02T02:04:05Z",
		prefix + "url":    "https://example.com",
		prefix + "source": "https://one.example", prefix + "authors": "A (a@example.com), B",
		prefix + "licenses": "MIT", "own": "", "more": "text",
	}, m.Annotations); d != "" {
		t.Errorf("annotations (-want +got):\n%s", d)
	}
	if a.FileName() != "app-1.2.3+4.tgz" || m.Config.MediaType != chart.ConfigType ||
		m.Config.Size != int64(len(a.Config)) || m.Layers[0].MediaType != chart.LayerType {
		t.Errorf("%s has the manifest %s", a.FileName(), a.Manifest)
	}
	var edited []string
	changed, err := c.EditValues(func(name string, text []byte) ([]byte, error) {
		edited = append(edited, name+" "+string(text))
		return append(text, "b: 1\n"...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"app.tgz/charts/sub/values.yaml a: 2\n", "app.tgz/values.yaml a: 1\n"}, edited); d != "" {
		t.Errorf("values that were edited (-want +got):\n%s", d)
	}
	if text := content(t, changed, "app/charts/sub/values.yaml"); text != "a: 2\nb: 1\n" ||
		content(t, c, "app/charts/sub/values.yaml") != "a: 2\n" {
		t.Errorf("the values of the subchart are %q", text)
	}
}
