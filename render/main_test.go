package render_test

import (
	"os"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/render/renderer"
)

// TestMain lets charts and templates be rendered in a process with bounds, as the command does.
func TestMain(m *testing.M) {
	renderer.Main()
	renderer.Bounds.CPU = time.Minute // a busy machine counts more for the same text; package renderer tests the limit
	os.Exit(m.Run())
}
