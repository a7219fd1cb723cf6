package kustomize_test

import (
	"os"
	"testing"

	_ "github.com/slipway-dev/slipway/render/kustomize/engine"
	"github.com/slipway-dev/slipway/render/renderer"
)

// TestMain lets kustomizations be built in a process with bounds, as the command does.
func TestMain(m *testing.M) {
	renderer.Main()
	os.Exit(m.Run())
}
