package airgap_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushReferrers pushes signatures and an SBOM to registries that can and that cannot list
// referrers.
func TestPushReferrers(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 1000)
	agent := &l.Images[0]
	// so many that they would get into each other's way
	for _, name := range []string{"a", "b", "c", "d"} {
		agent.Referrers = append(agent.Referrers, bundletest.Attached(t, st, "application/x-note",
			name, "", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size}))
	}
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "signed"})[0].Path)
	for what, support := range map[string]bool{"referrers": true, "no referrers": false} {
		t.Run(what, func(t *testing.T) {
			r := registrytest.Serve(t, ggcr.WithReferrersSupport(support))
			p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
			if err != nil {
				t.Fatal(err)
			}
			bundletest.Pull(t, p)
			if p.Referrers != 9 || len(p.Images) != len(b.Contents().Images) {
				t.Errorf("%d referrers of %d images", p.Referrers, len(p.Images))
			}
			repo, err := name.NewRepository(r.Host() + "/mirror/demo/agent")
			if err != nil {
				t.Fatal(err)
			}
			about := map[v1.Hash][]v1.Hash{}
			for _, a := range l.Images[0].Referrers {
				if a.Tag != "" {
					d, err := remote.Get(repo.Tag(a.Tag))
					if err != nil || d.Digest != a.Digest {
						t.Errorf("%s: %v", a.Tag, err)
					}
					continue
				}
				if a.Subject == (v1.Hash{}) {
					a.Subject = l.Images[0].Digest
				}
				about[a.Subject] = append(about[a.Subject], a.Digest)
			}
			for subject, want := range about {
				idx, err := remote.Referrers(repo.Digest(subject.String()))
				if err != nil {
					t.Fatal(err)
				}
				m, err := idx.IndexManifest()
				if err != nil {
					t.Fatal(err)
				}
				var got []v1.Hash
				for _, d := range m.Manifests {
					got = append(got, d.Digest)
				}
				order := func(a, b v1.Hash) int { return strings.Compare(a.Hex, b.Hex) }
				slices.SortFunc(got, order)
				slices.SortFunc(want, order)
				if !slices.Equal(got, want) {
					t.Errorf("%s is referred to by %v, want %v", subject, got, want)
				}
			}
			r.Reset()
			if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err != nil {
				t.Fatal(err)
			}
			if calls, _ := r.Reset(); registrytest.Count(calls, "HEAD", "")+
				registrytest.Count(calls, "GET", "") != len(calls) {
				t.Errorf("the second push asked %v", calls)
			}
		})
	}

	// A subset takes what is about it.
	r := registrytest.Serve(t)
	r.Inner = registrytest.Lenient(r.Inner)
	o := bundletest.To(r)
	o.Platforms = []string{"linux/arm64"}
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "PUT", ".sig"); p.Referrers != 7 || n != 0 {
		t.Errorf("%d referrers went with linux/arm64, %d of them signatures of linux/amd64", p.Referrers, n)
	}
	for _, c := range calls {
		if strings.HasPrefix(c, "PUT") && strings.Contains(c, l.Images[0].Referrers[4].Digest.Hex) {
			t.Error("a signature of another platform was pushed")
		}
	}
}

// TestPushReferrerUnlisted kills a push between the manifest of a signature and the list of the
// image's referrers, which the client keeps for this registry: the next push finds that the list
// lacks it.
func TestPushReferrerUnlisted(t *testing.T) {
	st, l := bundletest.Signed(t, 1000)
	b, r := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "signed"})[0].Path),
		registrytest.Serve(t)
	agent := l.Images[0]
	list := "/mirror/demo/agent/manifests/" + strings.Replace(agent.Digest.String(), ":", "-", 1)
	ctx, kill := context.WithCancel(t.Context())
	r.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, list) {
			return false
		}
		kill()
		panic(http.ErrAbortHandler)
	})
	if _, err := airgap.Push(ctx, []*bundle.Bundle{b}, bundletest.To(r)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	repo, err := name.NewRepository(r.Host() + "/mirror/demo/agent")
	if err != nil {
		t.Fatal(err)
	}
	sbom := repo.Digest(agent.Referrers[0].Digest.String())
	if _, err := remote.Head(sbom); err != nil {
		t.Fatalf("the manifest was to be there: %v", err)
	}
	r.Disturb(nil)
	r.Reset()
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	index, err := remote.Referrers(repo.Digest(agent.Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Manifests) != 1 || m.Manifests[0].Digest != agent.Referrers[0].Digest {
		t.Errorf("listed are %+v", m.Manifests)
	}
	if calls, _ := r.Reset(); registrytest.Count(calls, "PATCH", "") != 0 {
		t.Errorf("blobs were sent once more: %v", calls)
	}
}
