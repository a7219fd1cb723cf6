package sbom_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/evidence/sbom"
)

// TestSummary reads back what the document of a release says: modules, the images that have them,
// and licenses.
func TestSummary(t *testing.T) {
	l, inventory := kpack()
	s, err := sbom.Read(filepath.Join("testdata", "kpack.cdx.json"), l)
	if err != nil {
		t.Fatal(err)
	}
	text, err := sbom.CycloneDX(l, inventory)
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for _, p := range inventory.Programs {
		for _, m := range p.Modules {
			if m.Replace != nil {
				m = *m.Replace
			}
			if m.Version == "" || !strings.Contains(string(text), `"`+m.Path+`"`) {
				continue
			}
			modules++
			if !slices.Contains(s.Modules[m.Path], m.Version) {
				t.Errorf("%s has the versions %v, without %s", m.Path, s.Modules[m.Path], m.Version)
			}
		}
	}
	if modules == 0 || len(s.Images[[2]string{"stdlib", s.Modules["stdlib"][0]}]) == 0 {
		t.Errorf("%d modules were compared; the images are %v", modules, s.Images)
	}
	if !slices.Equal(s.Sources["controller"], []string{"kpack"}) ||
		!slices.Equal(s.Sources["tools"], []string{"here", "kpack"}) {
		t.Errorf("the images are of the sources %v", s.Sources)
	}
	for m, images := range s.Images {
		if len(s.Modules[m[0]]) == 0 || !slices.IsSorted(images) {
			t.Errorf("%v is in %v", m, images)
		}
	}
	if !slices.Contains(s.Licenses["BSD-3-Clause"], "stdlib") || len(s.Licenses[""]) == 0 ||
		len(s.Licenses["Apache-2.0"]) == 0 {
		t.Errorf("the licenses are %v", s.Licenses)
	}
	want := map[string]map[string][]string{"tools": {"cifs-utils": {"2:7.0-2"}, "libgcc-s1": {"12.2.0-14"}}}
	if d := cmp.Diff(want, s.Packages); d != "" {
		t.Errorf("packages (-want +got):\n%s", d)
	}
	if _, err := sbom.Summarize([]byte(`{"bomFormat": "other"}`), l); err == nil {
		t.Error("another format is read")
	}
}
