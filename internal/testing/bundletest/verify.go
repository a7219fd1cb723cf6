package bundletest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// Verify verifies a bundle.
func Verify(t testing.TB, path string, o bundle.VerifyOptions) *bundle.Report {
	t.Helper()
	r, err := bundle.Verify(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Write writes a file and returns its path.
func Write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.tar.zst")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
