package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/render"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestKpack holds kpack's release.yaml against a golden file, and renders it twice.
func TestKpack(t *testing.T) {
	p, l := storetest.Kpack(t)
	got, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/kpack.yaml", string(got.Text))
	p.Dir = copyTo(t, p.Dir, "overlays") // another place on disk
	again, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Text, again.Text) {
		t.Errorf("the same release rendered twice: %s", cmp.Diff(string(got.Text), string(again.Text)))
	}
}

// copyTo copies a folder of dir into a new directory and returns that.
func copyTo(t *testing.T, dir, folder string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(filepath.Join(to, folder), os.DirFS(filepath.Join(dir, folder))); err != nil {
		t.Fatal(err)
	}
	return to
}
