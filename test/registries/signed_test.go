package registries

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// TestSigned publishes a signed release to registries that have no referrers API, so that the
// client keeps the lists: all referrers of a document are found, and a second run sends nothing.
func TestSigned(t *testing.T) {
	for kind, start := range map[string]func(*testing.T) software{
		"distribution 3": func(t *testing.T) software { return distribution3(t, false, false) },
		"Debian":         func(t *testing.T) software { return debian(t, false) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			p, st, built := cut(t)
			p.Registry = r.host
			p.Images[0].PlatformTags = []product.PlatformTag{{
				Tag:       "1.2.3-windows",
				Platforms: storetest.Only(p, platform.Windows).Images[0].Platforms,
			}}
			key := bundletest.Key(t)
			for again := range 2 {
				prepared, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), network.Options{})
				if err != nil {
					t.Fatal(err)
				}
				d := bundletest.Documents(t, prepared.Lock)
				if err := prepared.Referrers(t.Context()); err != nil {
					t.Fatal(err)
				}
				made, err := evidence.Make(t.Context(), st, prepared.Lock, d, key)
				if err != nil {
					t.Fatal(err)
				}
				if err := prepared.Attach(made.Referrers); err != nil {
					t.Fatal(err)
				}
				if err := prepared.Push(t.Context()); err != nil {
					t.Fatal(err)
				}
				if lacking := unproven(t, prepared.Lock); lacking != nil {
					t.Errorf("it is not as it should be: %v", lacking)
				}
				if r.requests != nil {
					if c := r.requests.reset(); again > 0 && c["POST"]+c["PUT"]+c["PATCH"] != 0 {
						t.Errorf("the second run sent %v", c)
					}
				}
			}
		})
	}
}

// unproven returns which images, manifests and charts of a release have something else than one
// provenance, one signature and, but for charts, one SBOM.
func unproven(t *testing.T, l *lock.Lock) (all []string) {
	t.Helper()
	for _, i := range l.Published() {
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range i.Documents() {
			s := &transfer.Subject{Repo: repo, Name: i.Name, Digests: []v1.Hash{d.Digest}}
			if err := transfer.New(network.Options{}).ReadReferrers(t.Context(), []*transfer.Subject{s}); err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for n, tree := range s.Trees {
				kinds = append(kinds, tree.Annotations["dev.sigstore.bundle.predicateType"]+s.Referrers[n].Tag)
			}
			slices.Sort(kinds)
			want := []string{
				"https://slsa.dev/provenance/v1", "https://spdx.dev/Document",
				"sha256-" + d.Digest.Hex + ".sig",
			}
			if i.Kind == lock.KindChart {
				want = slices.Delete(want, 1, 2)
			}
			if !slices.Equal(kinds, want) {
				all = append(all, fmt.Sprintf("%s@%s has %q", i.Repository, d.Digest, kinds))
			}
		}
	}
	return all
}
