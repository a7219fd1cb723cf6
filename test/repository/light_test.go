package repository

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// engines are the libraries of Helm, kustomize and Kubernetes' client, which take a minute to
// compile.
var engines = []string{"helm.sh/helm/v4/pkg/engine", "sigs.k8s.io/kustomize/api/krusty", "k8s.io/client-go/rest"}

// rendering are the packages that may link engines with their tests: those that render, and those
// whose tests make whole releases.
var rendering = []string{
	"audit", "cmd/slipway", "internal/renaming", "lint/nodes", "product/pin", "publish", "publish/promote", "release",
	"release/reproduce", "render/chart", "render/engines", "render/kustomize", "report", "scaffold", "test/bench",
	"test/examples", "test/torture", "test/workflows",
}

// TestFewLinkEngines: whoever tests one package waits for what its tests import.
func TestFewLinkEngines(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-test", "-f", `{{.ImportPath}}{{range .Deps}} {{.}}{{end}}`, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		deps := strings.Fields(line)
		name, ok := strings.CutSuffix(strings.TrimPrefix(deps[0], module+"/"), ".test")
		if !ok {
			continue
		}
		for _, e := range engines {
			if !slices.Contains(deps, e) {
				continue
			}
			linked[name] = true
			if !slices.Contains(rendering, name) {
				t.Errorf("the tests of %s compile %s", name, e)
			}
		}
	}
	for _, name := range rendering {
		if !linked[name] {
			t.Errorf("%s compiles none of %q: it has no place in rendering", name, engines)
		}
	}
}
