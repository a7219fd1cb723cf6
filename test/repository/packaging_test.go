package repository

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestPackaging: the image of Slipway has the toolchain that go.mod names.
func TestPackaging(t *testing.T) {
	find := func(file, pattern string) string {
		b, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(b)
		if m == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		return string(m[1])
	}
	if image, module := find("packaging/slipway.yaml", `\sGO: go(\S+)`),
		find("go.mod", `(?m)^go (\S+)`); image != module {
		t.Errorf("packaging/slipway.yaml has Go %s, go.mod %s: take that, and the checksums of its archives",
			image, module)
	} else if page := find("docs/kubernetes.md", `GOTOOLCHAIN=go(\S+)`); page != image {
		t.Errorf("docs/kubernetes.md plans by Go %s, the image has %s", page, image)
	}
}

// TestPackagedProgram: the image of Slipway has the program that people download, since a plan of
// shards demands the same bytes of slipway on all machines. One program that is declared once is
// compiled once for a platform.
func TestPackagedProgram(t *testing.T) {
	p, err := product.Load(t.Context(), product.Options{Path: "../../packaging/slipway.yaml", Version: "v1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	inImage := p.Images[0].Content.(*product.DockerfileImage).Programs
	for _, on := range p.Images[0].Platforms {
		if got := p.ProgramsOf(p.Artifacts[0], on); len(inImage) != 1 || !slices.Equal(got, inImage) ||
			!slices.Contains(p.Artifacts[0].Platforms, on) {
			t.Errorf("%s: the image has %q, and for download there is %q", on, inImage, got)
		}
	}
}

// TestReleaseHasItsOwnPath: two releases of Slipway make different bytes of the same kpack, so
// their tags must not be the same.
func TestReleaseHasItsOwnPath(t *testing.T) {
	b, err := os.ReadFile("../../.github/workflows/kpack.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`registry: ghcr\.io/.*/\$\{\{ github\.ref_name \}\}\n`).Match(b) {
		t.Error("the registry of kpack's releases does not end in the name of the tag")
	}
}
