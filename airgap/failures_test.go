package airgap_test

import (
	"testing"
	"time"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
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
		o.Registry = network.Options{
			Wait: time.Millisecond, Idle: 150 * time.Millisecond, GiveUp: 300 * time.Millisecond,
			Document: 300 * time.Millisecond, Attempts: 2,
		}
		return func() error {
			_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			return err
		}
	}, func(t *testing.T, f registrytest.Failing) {
		if f.Err != nil && f.Failure != "404" && !outcome.Failed(f.Err) {
			t.Errorf("the failure of the registry is %v", f.Err)
		}
	})
}
