package promote_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/publish/promote"
)

// TestReferrersOmitted promotes to a registry that takes all and to one that refuses what has a
// subject.
func TestReferrersOmitted(t *testing.T) {
	t.Parallel()
	g := stage(t)
	ready, strict := separate(t), separate(t)
	strict.RefuseSubjects(http.StatusMethodNotAllowed, func(string) bool { return true })
	o := g.options(ready.Host()+"/me", strict.Host()+"/me")
	o.Referrers = oci.ReferrersRequire
	_, err := promote.Lock(t.Context(), g.lock, o)
	says(t, err, "that refers to sha256:", "-referrers=try")
	if tags := tagged(strict); len(tags) > 0 {
		t.Errorf("the registry that refuses a referrer got the tags %v", tags)
	}
	o.Referrers = oci.ReferrersTry
	p, err := promote.Lock(t.Context(), g.lock, o)
	if err != nil {
		t.Fatal(err)
	}
	g.check(o.To[0], true)
	if d := p.Destinations[0]; len(d.OmittedReferrers) > 0 || d.Referrers != 4 {
		t.Errorf("of %d referrers %v were left out", d.Referrers, d.OmittedReferrers)
	}
	if d := p.Destinations[1]; len(d.OmittedReferrers) != 3 || d.Referrers != 1 {
		t.Errorf("of %d referrers %v were left out", d.Referrers, d.OmittedReferrers)
	}
	for ref, want := range g.names(o.To[1], true) {
		if got := head(t, ref); got != want.String() {
			t.Errorf("%s is %s, want %s", ref, got, want)
		}
	}
	var table bytes.Buffer
	if err := p.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(table.String(), "omitted: "+strict.Host()); n != 3 ||
		!strings.Contains(table.String(), "and 1 artifacts about them") {
		t.Errorf("the table is\n%s", table.String())
	}
	strict.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		fails := q.Method == http.MethodPut && strings.Contains(q.URL.Path, g.about[0].String())
		if fails {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return fails
	})
	o.Registry = registrytest.Impatient
	if _, err = promote.Lock(t.Context(), g.lock, o); err == nil {
		t.Error("an outage left a referrer out")
	}
	strict.Disturb(nil)
	o.Registry = quick
	if _, err = promote.Lock(t.Context(), g.lock, o); err != nil {
		t.Fatal(err)
	}
	g.check(o.To[1], true)
}

// TestEvidenceRequired promotes a release with a Sigstore bundle to a registry that refuses what
// has a subject: no rule leaves it out.
func TestEvidenceRequired(t *testing.T) {
	t.Parallel()
	g := stage(t)
	i := g.lock.Images[0]
	repo, err := name.NewRepository(i.Repository)
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer([]byte("{}"), signature.BundleType))
	if err != nil {
		t.Fatal(err)
	}
	img = mutate.Subject(mutate.ConfigMediaType(img, signature.BundleType), i.Descriptor()).(v1.Image)
	h, err := img.Digest()
	if err == nil {
		err = remote.Write(repo.Digest(h.String()), img)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []oci.ReferrerRule{oci.ReferrersTry, oci.ReferrersNone} {
		s := separate(t)
		s.RefuseSubjects(http.StatusMethodNotAllowed, func(kind string) bool { return kind == signature.BundleType })
		o := g.options(s.Host() + "/me")
		o.Referrers = rule
		_, err = promote.Lock(t.Context(), g.lock, o)
		says(t, err, h.String(), "evidence of the release")
		if tags := tagged(s); len(tags) > 0 {
			t.Errorf("%s: the registry got the tags %v", rule, tags)
		}
	}
}
