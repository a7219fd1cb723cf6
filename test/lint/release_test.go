package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
)

// TestRelease finds nothing in the release that was cut, with its lock.
func TestRelease(t *testing.T) {
	dir := os.Getenv("SLIPWAY_DIST")
	if dir == "" {
		t.Fatal("SLIPWAY_DIST does not name the release to test: run `go tool mage test`, which makes one first")
	}
	text, err := os.ReadFile(filepath.Join(dir, "release.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := lint.Check(t.Context(), []lint.File{{Name: "release.yaml", Text: text}}, lint.Options{Lock: l})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Error(f)
	}
	if r.Pods == 0 || r.Unchecked != "" {
		t.Errorf("%d pods; %s", r.Pods, r.Unchecked)
	}
}
