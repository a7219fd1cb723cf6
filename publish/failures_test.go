package publish_test

import (
	"testing"

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
			_, err := publish.Publish(t.Context(), &p, st, storetest.Built(l), registrytest.Impatient)
			return err
		}
	})
}
