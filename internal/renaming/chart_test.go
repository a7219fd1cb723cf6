//go:build !race

package renaming_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/render/chart"
)

// archive packages files as a chart.
func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{
			Name: "app/" + name, Typeflag: tar.TypeReg, Mode: 0o644,
			Size: int64(len(text)),
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestChart renames images in each form that values have, also in those that no template uses.
func TestChart(t *testing.T) {
	a, b, c := bundletest.Digest("a").String(), bundletest.Digest("b").String(), bundletest.Digest("c").String()
	values := `# images
whole: ghcr.io/acme/kpack/build-init:0.16.1@` + a + ` # one string
apart:
  repository: "ghcr.io/acme/kpack/lifecycle"
  tag: 0.16.1@` + b + `
three: {registry: ghcr.io, repository: acme/kpack/controller, digest: "` + c + `"}
base: ghcr.io
path: /acme/kpack/controller
id: ` + c + `
unused: ghcr.io/acme/kpack/lifecycle@` + b + `
other: quay.io/acme/other@` + a + `
text: see ghcr.io/acme/kpack
`
	pod := `apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  containers:
  - {name: a, image: "{{ .Values.whole }}"}
  - {name: b, image: "{{ .Values.apart.repository }}:{{ .Values.apart.tag }}"}
  - {name: c, image: "{{ .Values.three.registry }}/{{ .Values.three.repository }}@{{ .Values.three.digest }}"}
  - {name: d, image: "{{ .Values.base }}{{ .Values.path }}@{{ .Values.id }}"}
  - {name: e, image: "{{ .Values.other }}"}
  - {name: f, image: busybox, args: ["--look=at ghcr.io/acme/kpack/controller:0.16.1 here"]}
`
	packed := archive(t, map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\nannotations:\n  helm.sh/images: |\n" +
			"    - image: ghcr.io/acme/kpack/lifecycle@" + b + "\n    - image: quay.io/acme/other@" + a + "\n",
		"values.yaml": values, "templates/pod.yaml": pod,
	})
	original := &oci.Tree{
		Desc:        v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: bundletest.Digest("9")},
		Annotations: map[string]string{"org.opencontainers.image.created": "2025-01-02T03:04:05Z"},
	}
	names := below(t, "registry.internal:5000/mirror")
	names.Unknown = func(_, _ string) error { return nil }
	r, err := names.Chart(t.Context(), packed, original, "ghcr.io/acme/charts/app@sha256:1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	made, err := chart.Read("app", bytes.NewReader(r.Archive))
	if err != nil {
		t.Fatal(err)
	}
	listed := made.Listed()
	if len(listed) != 1 || strings.Join(listed[0].Images, " ") !=
		"registry.internal:5000/mirror/acme/kpack/lifecycle@"+b+" quay.io/acme/other@"+a {
		t.Errorf("the annotations list %+v", listed)
	}
	var text string
	if _, err := made.EditValues(
		func(_ string, b []byte) ([]byte, error) { text = string(b); return b, nil }); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"whole: ghcr.io", "whole: registry.internal:5000/mirror", `"ghcr.io/acme/kpack/lifecycle"`,
		`"registry.internal:5000/mirror/acme/kpack/lifecycle"`,
		"registry: ghcr.io", "registry: registry.internal:5000/mirror", "unused: ghcr.io",
		"unused: registry.internal:5000/mirror",
		"base: ghcr.io", "base: registry.internal:5000", "path: /", "path: /mirror/").Replace(values)
	if text = strings.Replace(text, "\ndigest: "+c, "", 1); text != want { // which chart.Pin adds
		t.Errorf("the values are\n%s\nwant\n%s", text, want)
	}
	if r.Tree.Annotations[chart.OriginalKey] != "ghcr.io/acme/charts/app@sha256:1" ||
		r.Tree.Annotations["org.opencontainers.image.created"] != "2025-01-02T03:04:05Z" || r.References < 5 {
		t.Errorf("the chart has %d new names, and the annotations %v", r.References, r.Tree.Annotations)
	}
	if len(r.Untouched) != 1 ||
		!strings.Contains(r.Untouched[0], "templates/pod.yaml:11: text with ghcr.io/acme/kpack/controller in it") {
		t.Errorf("untouched are %q", r.Untouched)
	}
	again, err := names.Chart(t.Context(), r.Archive, r.Tree, "again", time.Now())
	if err != nil || again.References != 0 || again.Tree != r.Tree {
		t.Errorf("renamed again: %+v, %v", again, err)
	}
}
