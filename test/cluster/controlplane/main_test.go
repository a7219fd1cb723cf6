package main

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestVersions: Kubernetes and each of its staging modules, which its own go.mod takes from its
// repository, have the same release.
func TestVersions(t *testing.T) {
	version, key, err := versions()
	if err != nil || len(key) != 16 {
		t.Fatalf("versions = %q, %q, %v", version, key, err)
	}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	staging := strings.Replace(version, "v1.", "v0.", 1)
	for _, r := range mod.Replace {
		if r.Old.Path != r.New.Path || r.New.Version != staging {
			t.Errorf("%s is replaced by %s, want %s at %s", r.Old.Path, r.New, r.Old.Path, staging)
		}
	}
	if len(mod.Replace) < 25 {
		t.Errorf("only %d modules are replaced", len(mod.Replace))
	}
	for _, tool := range mod.Tool {
		found := false
		for _, pkg := range programs {
			found = found || pkg == tool.Path
		}
		if !found {
			t.Errorf("%s is a tool of the module that is not built", tool.Path)
		}
	}
	if len(mod.Tool) != len(programs) {
		t.Errorf("the module has %d tools, and %d programs are built", len(mod.Tool), len(programs))
	}
}
