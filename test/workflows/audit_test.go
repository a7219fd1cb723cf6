package workflows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestAudit audits images by the action that other repositories use: its findings are annotations
// and SARIF, and its inputs are arguments, whatever they have in them.
func TestAudit(t *testing.T) {
	testprog.Need(t, "act")
	registry := registrytest.Serve(t)
	put := func(name string, p *v1.Platform, form types.MediaType) string {
		img, err := random.Image(64, 1)
		must(t, err)
		img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: p.OS, Architecture: p.Architecture})
		must(t, err)
		ref := registry.Repo(t, name).Tag("1.0")
		must(t, remote.WriteIndex(ref, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
			Add:        mutate.ConfigMediaType(mutate.MediaType(img, form), types.OCIConfigJSON),
			Descriptor: v1.Descriptor{Platform: p},
		})))
		return ref.String()
	}
	healthy := put("healthy", &v1.Platform{OS: "linux", Architecture: "amd64"}, types.OCIManifestSchema1)
	broken := put("broken", &v1.Platform{OS: "windows", Architecture: "amd64"}, types.DockerManifestSchema2)
	bin := t.TempDir()
	slipway(t, bin)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	repository := clone(t, registry.Host())
	checkout, err := filepath.Abs("testdata/actions/checkout")
	must(t, err)
	artifacts, out, err := act(t, repository, "audit.yml", "", "--var=HEALTHY="+healthy, "--var=BROKEN="+broken,
		"--local-repository=actions/checkout@v7="+checkout)
	if err != nil {
		t.Fatalf("act: %v\n%s", err, out)
	}
	for _, want := range []string{
		"::error title=index-os-version::" + broken + ": windows/amd64 manifests[0]: A Windows entry of the index has no os.version",
		"::notice title=index-mixed::" + broken + ": windows/amd64 manifests[0]: The index is ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %s:\n%s", want, out)
		}
	}
	b, err := os.ReadFile(filepath.Join(artifacts, "audit.sarif"))
	if err != nil || !strings.Contains(string(b), `"ruleId": "index-os-version"`) {
		t.Errorf("the SARIF file is %.300s (%v)", b, err)
	}
}
