package imagetag_test

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/imagetag"
)

func TestIsFull(t *testing.T) {
	for tag, want := range map[string]bool{
		"1.2.3": true, "v1.2.3": true, "1.2.3-rc.1": true, "1.2.3_build": true, "10.0.20348.3207": true,
		"1.2.3rc1": true, "2025.11.02": true, "0.0.0": true,
		"": false, "latest": false, "1": false, "1.2": false, "v1.2": false, "1.2-alpine": false,
		"canary": false, "x1.2.3": false, "1.2.x": false, "1.2.": false,
	} {
		if got := imagetag.IsFull(tag); got != want {
			t.Errorf("IsFull(%q) is %v", tag, got)
		}
	}
}
