package publish_test

import (
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
)

// TestPublishFailures answers each request of publishing with each failure: a tag is what it was,
// or names the whole image of the release, and a failure of the registry is told from a refusal.
func TestPublishFailures(t *testing.T) {
	made, st, l := cut(t, 100)
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		p := *made
		p.Registry = s.Host() + "/acme"
		return func() error {
			_, err := publish.Publish(t.Context(), &p, st, storetest.Built(l), impatient)
			return err
		}
	}, func(t *testing.T, f registrytest.Failing) {
		if f.Err != nil && f.Failure != "404" && !outcome.Failed(f.Err) {
			t.Errorf("the failure of the registry is %v", f.Err)
		}
	})
}

// impatient gives up soon.
var impatient = network.Options{
	Wait: time.Millisecond, Idle: 150 * time.Millisecond, GiveUp: 300 * time.Millisecond,
	Document: 300 * time.Millisecond, Attempts: 2,
}
