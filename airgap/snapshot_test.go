package airgap_test

import (
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestSnapshot: the bundle of a snapshot goes to a registry only where that is asked for, and
// whoever verifies it reads what it is.
func TestSnapshot(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	path := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "all"})[0].Path
	b := bundletest.Opened(t, path)
	r := registrytest.Serve(t)
	o := bundletest.To(r)
	o.Snapshot = false
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "demo 1.2.3", "snapshot", "-snapshot")
	if calls, _ := r.Reset(); len(calls) > 0 {
		t.Errorf("the registry was asked %v", calls)
	}
	o.Snapshot = true
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err != nil {
		t.Error(err)
	}
	if !bundletest.Verify(t, path, bundle.VerifyOptions{}).Snapshot {
		t.Error("the report of a snapshot does not say so")
	}
}
