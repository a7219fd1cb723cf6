package workflows

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

func TestMain(m *testing.M) {
	extent.Suite("jq and act")
	os.Exit(m.Run())
}
