package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// TestEnvConfined asks for the toolchain of a tree. No go command reads the go.mod of a stranger's.
func TestEnvConfined(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "auto")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	text := []byte("module example.com/app\n\ngo 1.99.0\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	own := source.Tree{Dir: dir, Source: product.Source{Own: true, Directory: dir}}
	if v, err := own.GoVersion(t.Context()); err == nil {
		t.Errorf("the go.mod of the own tree is not read: %s", v)
	}
	own.Source.Confined = true
	if _, err := own.GoVersion(t.Context()); err != nil {
		t.Errorf("the go.mod of a stranger is read: %v", err)
	}
	if _, err := own.Toolchain(t.Context()); err != nil {
		t.Errorf("the go.mod of a stranger is read: %v", err)
	}
}
