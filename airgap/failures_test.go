package airgap_test

import (
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushFailures answers each request of pushing a bundle with each failure: a tag is what it
// was, or names the whole image of the bundle, and a failure of the registry is told from a
// refusal.
func TestPushFailures(t *testing.T) {
	b := bundletest.Whole(t, 100)
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		o := bundletest.To(s)
		o.Registry = registrytest.Impatient
		return func() error {
			_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			return err
		}
	})
}
