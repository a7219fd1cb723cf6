//go:build !race

package publish_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
)

// TestTagsLast publishes images and a chart in one push: no tag is visible before the registry
// has everything by digest.
func TestTagsLast(t *testing.T) {
	p, st, built := cut(t, 100)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	p.Charts = []product.Chart{{Repositories: []string{"demo/charts/app"}, Tags: []string{"0.2.0"}}}
	l, err := withCharts(t, p, st, built, quick, func(l *lock.Lock) []*chart.Artifact {
		return artifactOf(t, l, "0.2.0")
	})
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := s.Reset()
	byDigest, tags := map[string]bool{}, 0
	for _, c := range calls {
		if !strings.HasPrefix(c, "P") {
			continue
		}
		if _, digest, ok := strings.Cut(c, "/manifests/sha256:"); ok {
			byDigest["sha256:"+digest] = true
		} else if strings.Contains(c, "/manifests/") {
			tags++
			continue
		}
		if tags > 0 {
			t.Errorf("after a tag: %s", c)
		}
	}
	for _, i := range l.Published() {
		if !byDigest[i.Digest.String()] {
			t.Errorf("%s was not put by digest", i.Name)
		}
	}
	if tags != len(l.Published()) {
		t.Errorf("%d tags were put, want %d", tags, len(l.Published()))
	}
}
