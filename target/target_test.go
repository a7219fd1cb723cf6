package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestImport creates another product's module, whose magefile imports this package, and
// runs its targets as its maintainers would.
func TestImport(t *testing.T) {
	extent.Long(t, "it links slipway into mage")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("magefiles/magefile.go", `//go:build mage

package main

import (
	//mage:import
	_ "github.com/slipway-dev/slipway/target"
)
`)
	write("go.mod", module(t, root))
	write("go.sum", read(t, filepath.Join(root, "go.sum")))
	write("dist/release.lock.json",
		`{"schemaVersion": 1, "name": "demo", "version": "1", "created": "2025-01-01T00:00:00Z", "registry": "", "snapshot": true, "sources": [], "images": []}`)
	write("thesis.txt", "precious")

	try := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "mage"}, args...)...)
		cmd.Dir = dir
		// As tests are compiled, but for the race detector, so that nothing is compiled again.
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	mage := func(args ...string) string {
		t.Helper()
		out, err := try(args...)
		if err != nil {
			t.Fatalf("mage %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	if list := mage("-l"); !strings.Contains(list, "release    makes a release") ||
		!strings.Contains(list, "plan       prints what a release would do") {
		t.Errorf("mage -l:\n%s", list)
	}
	if help := mage("-h", "release"); !strings.Contains(help, "-registry=<string>   host[/prefix] of the release") {
		t.Errorf("mage -h release:\n%s", help)
	}
	mage("clean")
	if _, err := os.Stat(filepath.Join(dir, "dist")); err == nil {
		t.Error("clean left dist/")
	}
	if out, err := try("serve"); err == nil || !strings.Contains(out, "run go tool mage release first") {
		t.Errorf("mage serve without a release: %v\n%s", err, out)
	}
	// mage has a -version of its own
	if out, err := try("lint", "-version=v2"); err == nil || !strings.Contains(out, "slipway.yaml is not there") {
		t.Errorf("mage lint -version=v2 without a product: %v\n%s", err, out)
	}
	if text := read(t, filepath.Join(dir, "thesis.txt")); text != "precious" {
		t.Error("clean took more than was slipway's")
	}
}

// module returns the go.mod of a module with Slipway's requirements and Slipway itself.
func module(t *testing.T, root string) string {
	t.Helper()
	text := read(t, filepath.Join(root, "go.mod"))
	_, rest, ok := strings.Cut(text, "\n")
	if !ok {
		t.Fatalf("no go.mod of Slipway: %s", text)
	}
	return "module example.com/other\n" + rest +
		"\nrequire github.com/slipway-dev/slipway v0.0.0\nreplace github.com/slipway-dev/slipway => " + root + "\n"
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestArgs(t *testing.T) {
	product, images, yes, no := "a b.yaml", "controller,webhook", true, false
	for want, o := range map[string]options{
		"":                            {},
		"--quiet":                     {q: &yes},
		"--product=a b.yaml":          {product: &product, q: &no},
		"--images=controller,webhook": {images: &images},
		"--registry=a b.yaml --out=":  {registry: &product, out: new(string)},
	} {
		if got := strings.Join(o.args(), " "); got != want {
			t.Errorf("args = %q, want %q", got, want)
		}
	}
}

func TestSigning(t *testing.T) {
	key, program := "release.key", "kms sign"
	if got := signing(&key, nil, nil, nil); !slices.Equal(got, []string{"--sign=release.key"}) {
		t.Errorf("args = %q", got)
	}
	if got := signing(nil, &program, &key, nil); !slices.Equal(got,
		[]string{"--signer=kms sign", "--signer-key=release.key"}) {
		t.Errorf("args = %q", got)
	}
}

func TestIsPackage(t *testing.T) {
	for line, want := range map[string]bool{
		"net/http": true,
		"github.com/slipway-dev/slipway/cmd/slipway": true,
		"":                             false,
		"# example.com/x":              false,
		"./main.go:1:1: syntax error":  false,
		"go: downloading x v1.0.0":     false,
		"\tuse of unexported function": false,
	} {
		if isPackage(line) != want {
			t.Errorf("isPackage(%q) = %v", line, !want)
		}
	}
}
