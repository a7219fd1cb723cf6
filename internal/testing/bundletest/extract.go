package bundletest

import (
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// OpenDemo opens one of the demo's bundles.
func OpenDemo(t *testing.T, n int) *bundle.Bundle {
	t.Helper()
	st, l := Demo(t, 3000)
	return Opened(t, Pack(t, st, l, t.TempDir(), Targets(t)[n], Targets(t)[5])[0].Path)
}
