//go:build linux

package buildkit

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

func TestMain(m *testing.M) {
	extent.Suite("root, runc and buildkitd")
	os.Exit(m.Run())
}
