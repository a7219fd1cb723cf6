package assemble

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// TestArtifactsFail makes artifacts whose program is not there: the error has each of them, in the
// order of slipway.yaml.
func TestArtifactsFail(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	on := platform.Platform{OS: "linux", Architecture: "amd64"}
	p := &product.Product{
		Version:  "1.0.0",
		Programs: []product.Program{{Name: "tool", Prebuilt: []product.Prebuilt{{Platform: on}}}},
	}
	names := []string{"one", "two", "three", "four"}
	for _, name := range names {
		p.Artifacts = append(p.Artifacts,
			product.Artifact{Name: name, Binary: true, Programs: []string{"tool"}, Platforms: []platform.Platform{on}})
	}
	_, err = (&maker{reader: &reader{Input: Input{Product: p, Options: Options{Store: st}}}}).artifacts(t.Context())
	if err == nil {
		t.Fatal("the artifacts are made")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(names) {
		t.Fatalf("the error is %v", err)
	}
	for n, name := range names {
		if !strings.HasPrefix(lines[n], "making artifact "+name+": ") {
			t.Errorf("line %d is %q, want that of %s", n+1, lines[n], name)
		}
	}
}
