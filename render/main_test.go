package render_test

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/renderer"
)

// TestMain lets charts and templates be rendered in a process with bounds, as the command does.
func TestMain(m *testing.M) {
	renderer.Main()
	os.Exit(m.Run())
}
