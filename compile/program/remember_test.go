package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// TestToolchainOfModule names a batch by the toolchain that the go.mod of its source chooses.
func TestToolchainOfModule(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "go.mod"): "module example.com/app\n\ngo 1.99.1\n",
		// the go command looks for a toolchain in PATH before it downloads one
		filepath.Join(bin, "go1.99.1"): "#!/bin/sh\nshift\nfor v; do echo go1.99.1; done\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOPROXY", "off")
	for chosen, want := range map[string]string{"auto": "go1.99.1 ", "local": ""} {
		t.Setenv("GOTOOLCHAIN", chosen)
		p := Program{
			Name: "app", Package: ".", Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
			Tree: source.Tree{Dir: dir, Fixed: true, Source: product.Source{Name: "app", Own: true, Directory: dir}},
		}
		key, err := batches(storetest.Open(t), []Program{p})[0].fixed(t.Context())
		if err != nil || want != "" && !strings.HasPrefix(key, want) || want == "" && strings.HasPrefix(key, "go1.99.1") {
			t.Errorf("GOTOOLCHAIN=%s: %q, %v", chosen, key, err)
		}
	}
}
