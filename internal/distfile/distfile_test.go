package distfile

import (
	"slices"
	"strings"
	"testing"
)

func TestAdded(t *testing.T) {
	for name, want := range map[string]bool{
		"release.ghcr.io.yaml": true, "a-images.tar.zst.delta": true,
		Manifest: false, "release.yml": false, "sbom/release.a.yaml": false, "a-images.tar.zst": false, "notes.yaml": false,
	} {
		if Added(name) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

func TestNames(t *testing.T) {
	r := Release{
		Product: "demo", Version: "1.0.0", Images: []string{"app", "../../app"}, Bundles: []string{"all"},
		Charts:    []string{Chart("demo", "2.0.0")},
		Artifacts: []string{"demo.tar.gz", "/etc/passwd", "../x", "src/main.go", "..", ""},
	}
	want := `.all.volumes.json SHA256SUMS SHA256SUMS.sig SHA256SUMS.sigstore.json all.tar.gz all.tar.zst all.tar.zst.delta all.txt all.volumes.json bin/slipway ` +
		`demo-1.0.0.cdx.json demo-1.0.0.inputs.tar.gz demo-2.0.0.tgz demo.tar.gz index.html load-images.ps1 load-images.sh provenance.json provenance.sigstore.json ` +
		`release.lock.json release.yaml sbom/app.spdx.json`
	if got := strings.Join(r.Names(), " "); got != want {
		t.Errorf("the names are\n%s\nwant\n%s", got, want)
	}
	if got := PartNames([]string{"b", "a", "../a"}); !slices.Equal(got, []string{"a", "b", Part, Weights}) {
		t.Errorf("a part has %v", got)
	}
}
