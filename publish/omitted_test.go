package publish_test

import (
	"net/http"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// prebuilt is a release one manifest of which another builder made, with an SBOM.
func prebuilt(t *testing.T) (p *product.Product, st *store.Store, built *lock.Lock, sbom v1.Hash) {
	t.Helper()
	st = storetest.Open(t)
	built = storetest.Release(t, st, 1000)
	c := &built.Images[0].Children[0]
	r := bundletest.Attached(t, st, "application/vnd.example.sbom", "sbom", "",
		v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size})
	c.Prebuilt = &lock.Taken{From: "oci:layout:v1", Referrers: []oci.Referrer{r}}
	return storetest.Product(t, built), st, built, r.Digest
}

// claims reports whether a lock says that the registry has a referrer.
func claims(l *lock.Lock, h v1.Hash) bool {
	is := func(r oci.Referrer) bool { return r.Digest == h }
	i := l.Images[0]
	return slices.ContainsFunc(i.Referrers, is) ||
		i.Children[0].Prebuilt != nil && slices.ContainsFunc(i.Children[0].Prebuilt.Referrers, is)
}

// TestReferrersOmitted signs a release with a prebuilt image: its SBOM may be left out, its
// evidence may not, and the lock says what the registry has.
func TestReferrersOmitted(t *testing.T) {
	t.Parallel()
	key := bundletest.Key(t)
	others := func(kind string) bool { return kind != signature.BundleType }
	for rule, fine := range map[oci.ReferrerRule]bool{
		oci.ReferrersRequire: false, oci.ReferrersTry: true, oci.ReferrersNone: true,
	} {
		p, st, built, sbom := prebuilt(t)
		s := registrytest.Serve(t)
		p.Registry, p.Referrers = s.Host()+"/me", rule
		s.RefuseSubjects(http.StatusMethodNotAllowed, others)
		r, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), quick)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sign(t.Context(), t, r, st, key)
		if (err == nil) != fine {
			t.Errorf("%s: %v", rule, err)
		}
		if fine {
			if len(r.Omitted) != 1 || r.Omitted[0].Digest != sbom || claims(l, sbom) {
				t.Errorf("%s: left out were %v, and the lock claims the SBOM: %t", rule, r.Omitted, claims(l, sbom))
			}
			registrytest.Validate(t, l)
		}
		// again, where the registry takes it
		s.Disturb(nil)
		p.Referrers = oci.ReferrersTry
		if r, err = publish.Prepare(t.Context(), p, st, storetest.Built(built), quick); err != nil {
			t.Fatal(err)
		}
		if l, err = sign(t.Context(), t, r, st, key); err != nil || len(r.Omitted) > 0 || !claims(l, sbom) {
			t.Errorf("%s: the second run left out %v, and ended with %v", rule, r.Omitted, err)
		}

		p, st, built, _ = prebuilt(t)
		s = registrytest.Serve(t)
		p.Registry, p.Referrers = s.Host()+"/me", rule
		s.RefuseSubjects(http.StatusMethodNotAllowed, func(string) bool { return true })
		if _, err = signedRelease(t.Context(), t, p, st, built, key); err == nil {
			t.Errorf("%s: a release went on without its evidence", rule)
		}
		calls, _ := s.Reset()
		if n := registrytest.Count(calls, "PUT", "/manifests/1.2.3"); n > 0 {
			t.Errorf("%s: %d tags were pushed without the evidence", rule, n)
		}
	}
}

// TestReferrersOmittedParts joins parts one of which left an SBOM out: the release does not claim
// it.
func TestReferrersOmittedParts(t *testing.T) {
	t.Parallel()
	for _, rule := range []oci.ReferrerRule{oci.ReferrersTry, oci.ReferrersNone} {
		p, st, built, sbom := prebuilt(t)
		s := registrytest.Serve(t)
		p.Registry, p.Referrers = s.Host()+"/me", rule
		s.RefuseSubjects(http.StatusMethodNotAllowed, func(string) bool { return true })
		var parts []*lock.Part
		var omitted int
		for _, system := range []string{platform.Linux, platform.Windows} {
			part, left, err := publish.PublishPart(t.Context(), storetest.Only(p, system), st, storetest.Built(built), quick)
			if err != nil {
				t.Fatal(err)
			}
			parts, omitted = append(parts, part), omitted+len(left)
		}
		merged, err := publish.PrepareMerge(t.Context(), p, storetest.Open(t), parts, quick)
		if err == nil {
			err = merged.Push(t.Context())
		}
		if err != nil || omitted != 1 || claims(merged.Lock, sbom) {
			t.Errorf("%s: %d were left out, the lock claims the SBOM: %t, %v", rule, omitted, claims(merged.Lock, sbom), err)
		}
		if !claims(built, sbom) {
			t.Errorf("%s: what was built was changed", rule)
		}
	}
}
