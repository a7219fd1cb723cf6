package verifiers

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"

	"github.com/slipway-dev/slipway/internal/distfile"
)

// TestSPDX: the reference implementation of SPDX in Go reads every document, and finds nothing
// wrong in it; each is about the index of its image and contains its manifests.
func TestSPDX(t *testing.T) {
	s := theRelease(t)
	for _, i := range s.lock.Images {
		b, err := os.ReadFile(s.path(distfile.SPDX(i.Name)))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := spdxjson.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", i.Name, err)
		}
		if err := spdxlib.ValidateDocument(doc); err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
		about, err := spdxlib.GetDescribedPackageIDs(doc)
		if err != nil || len(about) == 0 {
			t.Errorf("%s describes %v; %v", i.Name, about, err)
		}
		var sums []string
		for _, p := range doc.Packages {
			for _, c := range p.PackageChecksums {
				sums = append(sums, c.Value)
			}
		}
		for _, want := range append([]string{i.Digest.Hex}, i.Children[0].Digest.Hex, i.Children[1].Digest.Hex) {
			if !slices.Contains(sums, want) {
				t.Errorf("%s has no package with the digest %s", i.Name, want)
			}
		}
		// A document that refers to what it does not have is found.
		broken := bytes.Replace(b, []byte(`"relatedSpdxElement":"SPDXRef-`),
			[]byte(`"relatedSpdxElement":"SPDXRef-none-`), 1)
		if bytes.Equal(broken, b) {
			broken = bytes.Replace(b, []byte(`"relatedSpdxElement": "SPDXRef-`),
				[]byte(`"relatedSpdxElement": "SPDXRef-none-`), 1)
		}
		if doc, err := spdxjson.Read(bytes.NewReader(broken)); bytes.Equal(broken, b) ||
			err == nil && spdxlib.ValidateDocument(doc) == nil {
			t.Errorf("%s: a broken document is valid: %v", i.Name, err)
		}
	}
}

// TestCycloneDX: CycloneDX' own library finds that the document of the release follows the schema
// of version 1.6, and that a broken one does not.
func TestCycloneDX(t *testing.T) {
	s := theRelease(t)
	file := s.path(distfile.CycloneDX(s.lock.Name, s.lock.Version))
	if err := run(node(t, "cyclonedx.cjs", file)); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.cdx.json")
	if err := os.WriteFile(broken, bytes.Replace(b, []byte(`"bom-ref"`), []byte(`"bom-reference"`), 1),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(node(t, "cyclonedx.cjs", broken)); err == nil || !strings.Contains(err.Error(), "bom-ref") {
		t.Errorf("a broken document: %v", err)
	}
}
