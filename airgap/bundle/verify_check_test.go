package bundle_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestUnchecked verifies, with a check, a bundle whose head is wrong: nothing could be checked, so
// that is an error, and not a report as without one.
func TestUnchecked(t *testing.T) {
	st, l := bundletest.Release(t, 500)
	e := bundletest.Clone(bundletest.Headers(t,
		bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path))
	e[3].Data = bundletest.Flip(e[3].Data, 1, 0)
	path := bundletest.Write(t, bundletest.Forge(t, e))
	check := func(*bundle.Bundle) error { t.Error("a bundle with a damaged head was checked"); return nil }
	if r, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{Check: check}); err == nil ||
		!strings.HasPrefix(err.Error(), path+": ") ||
		!strings.Contains(err.Error(), "the bundle is damaged: the bytes of blob ") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{}); err != nil || len(r.Problems) == 0 {
		t.Errorf("without a check: %+v, %v", r, err)
	}
}
