package powershell

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

const (
	golden  = "../../../airgap/testdata/load-images.ps1"
	grammar = "github.com/airbus-cert/tree-sitter-powershell"
)

// TestScript parses the script of the release that was cut, the golden one, and that of a workflow.
func TestScript(t *testing.T) {
	dir, parse := os.Getenv("SLIPWAY_DIST"), parser(t)
	if dir == "" {
		t.Fatal("SLIPWAY_DIST does not name the release to test: run `go tool mage test`, which makes one first")
	}
	for _, path := range []string{golden, filepath.Join(dir, "load-images.ps1"), "../../windows/run-images.ps1"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := parse(b); wrong != "" {
			t.Errorf("%s is no PowerShell:\n%s", path, wrong)
		}
	}
}

// TestMutants parses scripts that were broken, each in one place: a parser that takes everything
// would say nothing of the one above.
func TestMutants(t *testing.T) {
	parse := parser(t)
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range [][2]string{
		{"function Import-Bundle {", "function Import-Bundle"},
		{"finally {", "finally"},
		{"param([string]$Name)", "param([string]$Name"},
		{"foreach ($line in [System", "foreach ($line [System"},
		{"-split '\\s+\\*?', 2", "-split '\\s+\\*?, 2"},
		{"Write-Warning \"The", "Write-Warning $(\"The"},
	} {
		broken := strings.Replace(string(b), m[0], m[1], 1)
		if broken == string(b) {
			t.Errorf("the script has no %q", m[0])
		} else if parse([]byte(broken)) == "" {
			t.Errorf("a script with %q for %q is taken for PowerShell", m[1], m[0])
		}
	}
}

// parser builds the command parse and returns what calls it.
func parser(t *testing.T) func(script []byte) string {
	t.Helper()
	testprog.Need(t, "gcc")
	if out, err := exec.Command("go", "mod", "download", grammar).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", grammar).Output()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "parse")
	build := exec.Command("go", "build", "-trimpath", "-tags=treesitter", "-o", program, "./parse")
	build.Env = append(os.Environ(), "CGO_ENABLED=1",
		"CGO_CFLAGS=-O1 -I"+filepath.Join(strings.TrimSpace(string(dir)), "src"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the parser: %v\n%s", err, out)
	}
	return func(script []byte) string {
		t.Helper()
		cmd := exec.Command(program)
		cmd.Stdin = bytes.NewReader(script)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
}
