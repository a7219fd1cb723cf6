package promote_test

import (
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/publish/promote"
)

// TestPromoteFailures answers each request of promoting a release to a registry with each failure:
// a tag is what it was, or names the whole image, and a failure of the registry is told from a
// refusal.
func TestPromoteFailures(t *testing.T) {
	g := stage(t)
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		s.Inner = registrytest.Separate(s.Inner)
		o := g.options(s.Host())
		o.Registry = network.Options{
			Wait: time.Millisecond, Idle: 150 * time.Millisecond, GiveUp: 300 * time.Millisecond,
			Document: 300 * time.Millisecond, Attempts: 2,
		}
		return func() error {
			_, err := promote.Lock(t.Context(), g.lock, o)
			return err
		}
	}, func(t *testing.T, f registrytest.Failing) {
		if f.Err != nil && f.Failure != "404" && !outcome.Failed(f.Err) {
			t.Errorf("the failure of the registry is %v", f.Err)
		}
	})
}
