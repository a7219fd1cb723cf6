package product_test

import (
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestRaise: who finds a tag taken is told where the next version is chosen.
func TestRaise(t *testing.T) {
	for from, want := range map[string]string{
		"slipway.yaml": "raise version in slipway.yaml", "git": "tag a commit with a higher version",
		"-version": "raise -version", "SLIPWAY_VERSION": "raise SLIPWAY_VERSION", "the plan": "plan a higher version",
	} {
		if got := (product.VersionSource{From: from}).Raise(); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
}
