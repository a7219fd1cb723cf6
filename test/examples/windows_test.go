package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWindowsWorkflow checks that .github/workflows/windows.yml can release what it names to a
// registry: nothing is wrong with a product, or the workflow runs before what the error asks to
// run.
func TestWindowsWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/windows.yml")
	must(t, err)
	released := regexp.MustCompile(`(?m)^ +release (\S+)$`).FindAllSubmatchIndex(text, -1)
	if len(released) != 3 {
		t.Fatalf("it releases %d products", len(released))
	}
	file, err := slipway()
	must(t, err)
	for _, r := range released {
		product := string(text[r[2]:r[3]])
		cmd := exec.CommandContext(t.Context(), file,
			"check", "-q", "-product="+filepath.Join("../..", product, "slipway.yaml"), "-registry=localhost:5000")
		out, err := cmd.CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "could not be asked for") || strings.Contains(line, "cannot be reached") {
				continue // an image of others, where no registry of the world can be reached
			}
			_, remedy, _ := strings.Cut(line, ": run ")
			remedy, _, _ = strings.Cut(remedy, ",")
			remedy = strings.TrimSuffix(remedy, " bases") // pin alone pins third-party images, too
			if err != nil && (remedy == "" ||
				!strings.Contains(string(text[:r[0]]), "\n          "+remedy+" -product="+product+"/slipway.yaml")) {
				t.Errorf("%s: it does not run %q before: %s", product, remedy, line)
			}
		}
	}
}
