package registries

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
)

// TestSigned publishes a signed release to registries that have no referrers API, so that the
// client keeps the lists: everything that refers to a document is found, and a second run sends
// nothing.
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
			p.Images[0].PlatformTags = []product.PlatformTag{{Tag: "1.2.3-windows", Platforms: storetest.Only(p, platform.Windows).Images[0].Platforms}}
			key := bundletest.Key(t)
			for again := range 2 {
				prepared, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), network.Options{})
				if err != nil {
					t.Fatal(err)
				}
				d := evidence.Documents{Statement: bundletest.Encoded(t, bundletest.Statement(t, prepared.Lock)), SBOMs: map[string][]byte{}}
				for _, i := range prepared.Lock.Images {
					d.SBOMs[i.Name] = fmt.Appendf(nil, `{"spdxVersion":"SPDX-2.3","name":%q}`, i.Name)
				}
				if err := prepared.Referrers(t.Context()); err != nil {
					t.Fatal(err)
				}
				made, err := evidence.Make(t.Context(), st, prepared.Lock, d, key)
				if err != nil {
					t.Fatal(err)
				}
				prepared.Attach(made.Referrers)
				if err := prepared.Push(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, i := range prepared.Lock.Images {
					repo, err := name.NewRepository(i.Repository)
					if err != nil {
						t.Fatal(err)
					}
					for _, document := range i.Documents() {
						s := &transfer.Subject{Repo: repo, Name: i.Name, Digests: []v1.Hash{document.Digest}}
						if err := transfer.New(network.Options{}).ReadReferrers(t.Context(), []*transfer.Subject{s}); err != nil {
							t.Fatal(err)
						}
						tagged := slices.IndexFunc(s.Trees, func(tree *oci.Tree) bool { return tree.Subject == nil })
						if len(s.Referrers) != 3 || tagged < 0 || !strings.HasSuffix(s.Referrers[tagged].Tag, ".sig") {
							t.Errorf("to %s of %s refer %+v", document.Digest, i.Name, s.Referrers)
						}
					}
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
