package builders

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

func TestMain(m *testing.M) {
	extent.Suite("root, docker, podman and buildkitd")
	os.Exit(m.Run())
}
