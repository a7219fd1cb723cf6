package repository

import (
	"os"
	"regexp"
	"testing"
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
	if image, module := find("packaging/slipway.yaml", `\sGO: go(\S+)`), find("go.mod", `(?m)^go (\S+)`); image != module {
		t.Errorf("packaging/slipway.yaml has Go %s, go.mod %s: take that, and the checksums of its archives", image, module)
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
