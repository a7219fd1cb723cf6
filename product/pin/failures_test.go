package pin_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/product/pin"
)

// TestPinFailures answers each request of pinning and raising with each failure: a file is as it
// was, or as without a failure, and a failure of the registry is told from a mistake.
func TestPinFailures(t *testing.T) {
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		dir := setupAt(t, s, files)
		push(t, s, "pause:3.10.1", "linux/amd64")
		before := read(t, filepath.Join(dir, "images.txt"))
		return func() error {
			_, err := findAt(t, dir, registrytest.Impatient, pin.Options{Newer: imagetag.Patch})
			if after := read(t, filepath.Join(dir, "images.txt")); (after != before) != (err == nil) {
				return fmt.Errorf("after %s images.txt is\n%s", fmt.Sprint(err), after)
			}
			return err
		}
	})
}
