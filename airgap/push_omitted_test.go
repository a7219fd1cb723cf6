package airgap_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushReferrersRefused pushes a signed release with an SBOM of others to a registry that takes
// no subjects but those of Sigstore bundles, and then to one that takes none.
func TestPushReferrersRefused(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 1000)
	bundletest.Prove(t, st, l, bundletest.Key(t))
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "signed"})[0].Path)
	push := func(r *registrytest.Server, rule oci.ReferrerRule) (*airgap.Pushed, error) {
		o := bundletest.To(r)
		o.Referrers = rule
		return airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	}
	whole, err := push(registrytest.Serve(t), oci.ReferrersRequire)
	if err != nil || len(whole.OmittedReferrers) > 0 {
		t.Fatalf("left out were %v, the error is %v", whole, err)
	}
	for _, rule := range []oci.ReferrerRule{oci.ReferrersTry, oci.ReferrersNone} {
		r := registrytest.Serve(t)
		r.RefuseSubjects(http.StatusMethodNotAllowed, func(kind string) bool { return kind != signature.BundleType })
		p, err := push(r, rule)
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		bundletest.Pull(t, p)
		// An SBOM, its signature, and those of two manifests; the third one is a tag of cosign,
		// which may be ours.
		if n := len(p.OmittedReferrers); n != 4 || p.Referrers != whole.Referrers-n {
			t.Errorf("%s: %d referrers, without %v", rule, p.Referrers, p.OmittedReferrers)
		}
		var table bytes.Buffer
		if err := p.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.OmittedReferrers {
			if !strings.Contains(table.String(), "omitted: "+o.String()) || !strings.Contains(string(text), o.Digest.Hex) {
				t.Errorf("%s: the result does not say that %s is left out", rule, o.Digest)
			}
		}
		r.Disturb(nil)
		if p, err = push(r, oci.ReferrersTry); err != nil || p.Referrers != whole.Referrers || len(p.OmittedReferrers) > 0 {
			t.Errorf("%s: the next push has %+v, %v", rule, p, err)
		}
		r = registrytest.Serve(t)
		r.RefuseSubjects(http.StatusMethodNotAllowed, func(string) bool { return true })
		_, err = push(r, rule)
		bundletest.Says(t, err, "evidence of the release", signature.BundleType)
		calls, _ := r.Reset()
		if n := registrytest.Count(calls, "PUT", "/manifests/1.2.3"); n > 0 {
			t.Errorf("%s: %d tags were pushed without the evidence", rule, n)
		}
	}
}
