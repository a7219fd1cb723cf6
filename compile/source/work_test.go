package source_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// TestWorkspace asks which modules go build would take from elsewhere than a release does.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, map[string]string{
		"go.work": "go 1.26\n\nuse (\n\t./app\n\t./lib\n\t./own\n\t./unused\n)\n",
		"app/go.mod": "module example.com/app\n\ngo 1.26\n\nrequire (\n\texample.com/lib v1.2.3\n\texample.com/own " +
			"v1.0.0\n)\n\nreplace example.com/own => ../own\n",
		"lib/go.mod": "module example.com/lib\n", "own/go.mod": "module example.com/own\n",
		"unused/go.mod": "module example.com/unused\n",
	})
	tree := source.Tree{Source: product.Source{Name: "app"}, Dir: filepath.Join(dir, "app")}
	want := "source app is compiled with example.com/lib@v1.2.3 as its go.mod requires it, and not with " +
		filepath.Join(dir, "lib") + ": " +
		filepath.Join(dir, "go.work") + " is not read; replace the module in go.mod if the directory is meant"
	if got := tree.Workspace(); !slices.Equal(got, []string{want}) {
		t.Errorf("got %q, want %q", got, want)
	}
	tree.Dir = filepath.Join(dir, "lib")
	if got := tree.Workspace(); got != nil {
		t.Errorf("of a module that requires none: %q", got)
	}
}
