package reproduce

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestOpenDirectory opens releases in directories whose names a shell would take for patterns.
func TestOpenDirectory(t *testing.T) {
	st, l := bundletest.Demo(t, 5)
	for _, name := range []string{"dist", "dist[1]", "di*t", `[x`} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		bundletest.Pack(t, st, l, dir, bundletest.Targets(t)[5])
		o, err := Open(dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(o.Bundles) != 1 {
			t.Errorf("%s: %d bundles were found", name, len(o.Bundles))
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}
