package consumer

import (
	"strings"
	"testing"
)

// TestPlane: Kubernetes and each of its staging modules, which its own go.mod takes from its
// repository, have the same release.
func TestPlane(t *testing.T) {
	_, mod, version, err := planeModule()
	if err != nil {
		t.Fatal(err)
	}
	staging := strings.Replace(version, "v1.", "v0.", 1)
	for _, r := range mod.Replace {
		if r.Old.Path != r.New.Path || r.New.Version != staging {
			t.Errorf("%s is replaced by %s, want %s at %s", r.Old.Path, r.New, r.Old.Path, staging)
		}
	}
	if len(mod.Replace) < 25 || len(mod.Tool) != 5 {
		t.Errorf("only %d modules are replaced, and there are %d programs, want 5", len(mod.Replace), len(mod.Tool))
	}
}
