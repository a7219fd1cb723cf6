package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSamples lints the samples for kpack on Windows; kpack's own checks of them are in test/kpack.
func TestSamples(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "samples", "kpack-windows")
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	must(t, err)
	if said, err := lint(t, files...); err != nil || !strings.Contains(said, "nothing found in 3 pods") {
		t.Errorf("slipway lint: %v\n%s", err, said)
	}
	// What the samples are there to show is what lint asks for.
	b, err := os.ReadFile(filepath.Join(dir, "image.yaml"))
	must(t, err)
	before, rest, _ := strings.Cut(string(b), "    tolerations:\n")
	_, after, ok := strings.Cut(rest, "    affinity:\n")
	if !ok {
		t.Fatal("image.yaml has no tolerations before its affinity")
	}
	bare := filepath.Join(t.TempDir(), "image.yaml")
	must(t,
		os.WriteFile(bare,
			[]byte(strings.Replace(before+"    affinity:\n"+after, "    runtimeClassName: windows-ltsc2022\n", "", 1)),
			0o644))
	if said, err := lint(t, bare); err == nil || !strings.Contains(said, "tolerat") {
		t.Errorf("slipway lint of an Image without tolerations: %v\n%s", err, said)
	}
}

// lint runs slipway lint, which warnings fail, too, and returns all that it says.
func lint(t *testing.T, files ...string) (string, error) {
	t.Helper()
	file, err := slipway()
	must(t, err)
	out, err := exec.CommandContext(t.Context(),
		file, append([]string{"lint", "-strict"}, files...)...).CombinedOutput()
	return string(out), err
}
