package evidence_test

import (
	"os"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
)

// TestExchanged verifies a bundle that is replaced by another good one of the same key between
// the verification of its signatures and the reading of its layers.
func TestExchanged(t *testing.T) {
	key := bundletest.Key(t)
	st, l := bundletest.Release(t, 500)
	var files [2]string
	for n, release := range []*lock.Lock{l, bundletest.Later(t, st, l)} {
		release.Images[0].Referrers = nil
		bundletest.Attach(t,
			st, release, bundletest.SignedStatement(t, key, bundletest.Encoded(t, bundletest.Statement(t, release))))
		files[n] = bundletest.Pack(t, st, release, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path
	}
	unchanged, err := evidence.Prove(files[0], evidence.Policy{Keys: []*signature.PublicKey{key.Public}})
	if err != nil {
		t.Fatal(err)
	}
	if err := unchanged(bundletest.Opened(t, files[0])); err != nil {
		t.Errorf("the same bundle: %v", err)
	}
	if err := os.Rename(files[1], files[0]); err != nil {
		t.Fatal(err)
	}
	if err := unchanged(bundletest.Opened(t, files[0])); err == nil ||
		!strings.Contains(err.Error(), "was exchanged while it was verified") {
		t.Errorf("another bundle: %v", err)
	}
}
