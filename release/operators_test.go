package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRequires looks for slipway in the go.mod of a product and above it. One that cannot be read
// is an error: a release that goes on has the running slipway in place of the one that it requires.
func TestRequires(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no",
		"module example.com/a\n\ngo 1.24\n": "no",
		"module example.com/a\n\ntool github.com/slipway-dev/slipway/cmd/slipway\n\nrequire " +
			"(\n\tgithub.com/slipway-dev/slipway v1.2.3\n)\n": "yes",
		"module github.com/slipway-dev/slipway\n": "yes",
		"module example.com/a\n\nrequire (\n":     "go.mod:3",
	} {
		dir := t.TempDir()
		product := filepath.Join(dir, "deploy", "product")
		if err := os.MkdirAll(product, 0o755); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := "no"
		yes, own, err := requires(product)
		if yes {
			got = "yes"
		}
		if err != nil {
			got = err.Error()
		}
		if is := strings.Contains(text,
			"module github.com/slipway-dev/slipway"); is != (own == filepath.Join(dir, "go.mod")) || !is && own != "" {
			t.Errorf("%q: the go.mod of slipway is %q", text, own)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
