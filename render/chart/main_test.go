package chart_test

import (
	"os"
	"testing"

	_ "github.com/slipway-dev/slipway/render/chart/engine"
	"github.com/slipway-dev/slipway/render/renderer"
)

// TestMain lets charts be rendered in a process with bounds, as the command does.
func TestMain(m *testing.M) {
	renderer.Main()
	os.Exit(m.Run())
}
