package promote_test

import (
	"testing"

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
		o.Registry = registrytest.Impatient
		return func() error {
			_, err := promote.Lock(t.Context(), g.lock, o)
			return err
		}
	})
}
