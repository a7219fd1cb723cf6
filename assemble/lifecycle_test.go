package assemble_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// small is a module with the lifecycle's structure, whose programs compile quickly.
var small = map[string]string{
	"slipway.yaml": `apiVersion: slipway/v1
name: small
version: 1.0.0
platforms: [linux/amd64, "windows/amd64:ltsc2022"]
sources:
  - {name: lifecycle, directory: ., revision: abc, created: 2025-01-01T00:00:00Z, url: https://example.com/lifecycle, licenses: Apache-2.0}
images:
  - name: lifecycle
    lifecycle: {source: lifecycle, version: 0.20.5}
release:
  templates: [{path: config}]
`,
	"config/empty.yaml":     "",
	"go.mod":                "module example.com/lifecycle\n\ngo 1.24\n",
	"cmd/lifecycle/main.go": "package main\n\nfunc main() {}\n",
	"cmd/launcher/main.go":  "package main\n\nfunc main() {}\n",
	"lifecycle.toml":        "[api]\n  platform = \"0.7\"\n  buildpack = \"0.9\"\n",
	"api/apis.go": `package api

var (
	Platform  = newApisMustParse([]string{"0.7", "0.8"}, []string{"0.7"})
	Buildpack = newApisMustParse([]string{"0.9"}, []string{})
)

func newApisMustParse(supported, deprecated []string) int { return len(supported) + len(deprecated) }
`,
}

// TestLifecycle compares the image that kpack's controller loads with a golden file: one
// manifest with a layer for each operating system.
func TestLifecycle(t *testing.T) {
	st := storetest.Open(t)
	l := result(t, load(t, mixed(t, small)), st)
	i, ok := l.Image("lifecycle")
	if !ok || i.Kind != "lifecycle" || i.MediaType != types.OCIManifestSchema1 || len(i.Children) != 1 ||
		i.Children[0].Digest != i.Digest ||
		!slices.Equal(i.Children[0].ExtraOS, []string{"linux", "windows"}) || i.Children[0].Base != nil {
		t.Fatalf("the lock says %+v", i)
	}
	img, err := st.Image(i.Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	for n, os := range []string{"linux", "windows"} {
		if got := cf.Config.Labels[os]; got != cf.RootFS.DiffIDs[n].String() {
			t.Errorf("label %s is %s, the layer's diff ID %s", os, got, cf.RootFS.DiffIDs[n])
		}
	}
	text := image(t, img)
	for n, os := range []string{"linux", "windows"} {
		text = strings.ReplaceAll(text, cf.RootFS.DiffIDs[n].String(), "(diff ID of "+os+")")
	}
	golden.Compare(t, *update, "testdata/lifecycle.golden", text)
}
