package airgap

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/product"
)

// TestPushReferrers pushes signatures and an SBOM to registries that can and that cannot list
// what refers to an image.
func TestPushReferrers(t *testing.T) {
	t.Parallel()
	st, l := signed(t, 1000)
	agent := &l.Images[0]
	// so many that they would get into each other's way
	for _, name := range []string{"a", "b", "c", "d"} {
		agent.Referrers = append(agent.Referrers, attached(t, st, "application/x-note", name, "", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size}))
	}
	b := opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "signed"})[0].Path)
	for what, support := range map[string]bool{"referrers": true, "no referrers": false} {
		t.Run(what, func(t *testing.T) {
			r := newRegistry(t)
			r.inner = ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)), ggcr.WithReferrersSupport(support))
			p, err := Push(t.Context(), []*Bundle{b}, to(r))
			if err != nil {
				t.Fatal(err)
			}
			pull(t, p)
			if p.Referrers != 9 || len(p.Images) != len(b.Contents().Images) {
				t.Errorf("%d referrers of %d images", p.Referrers, len(p.Images))
			}
			repo, err := name.NewRepository(r.host() + "/mirror/demo/agent")
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
			r.reset(nil)
			if _, err := Push(t.Context(), []*Bundle{b}, to(r)); err != nil {
				t.Fatal(err)
			}
			if calls, _ := r.reset(nil); count(calls, "HEAD", "")+count(calls, "GET", "") != len(calls) {
				t.Errorf("the second push asked %v", calls)
			}
		})
	}

	// A subset takes what is about it.
	r := newRegistry(t)
	r.inner = lenient(r.inner)
	o := to(r)
	o.Platforms = []string{"linux/arm64"}
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", ".sig"); p.Referrers != 7 || n != 0 {
		t.Errorf("%d referrers went with linux/arm64, %d of them signatures of linux/amd64", p.Referrers, n)
	}
	for _, c := range calls {
		if strings.HasPrefix(c, "PUT") && strings.Contains(c, l.Images[0].Referrers[4].Digest.Hex) {
			t.Error("a signature of another platform was pushed")
		}
	}
}

// TestPushReferrerUnlisted kills a push between the manifest of a signature and the list of what
// refers to the image, which the client keeps for this registry: the next push finds that the
// list lacks it.
func TestPushReferrerUnlisted(t *testing.T) {
	st, l := signed(t, 1000)
	b, r := opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "signed"})[0].Path), newRegistry(t)
	agent := l.Images[0]
	list := "/mirror/demo/agent/manifests/" + strings.Replace(agent.Digest.String(), ":", "-", 1)
	ctx, kill := context.WithCancel(t.Context())
	r.reset(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, list) {
			return false
		}
		kill()
		panic(http.ErrAbortHandler)
	})
	if _, err := Push(ctx, []*Bundle{b}, to(r)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	repo, err := name.NewRepository(r.host() + "/mirror/demo/agent")
	if err != nil {
		t.Fatal(err)
	}
	sbom := repo.Digest(agent.Referrers[0].Digest.String())
	if _, err := remote.Head(sbom); err != nil {
		t.Fatalf("the manifest was to be there: %v", err)
	}
	r.reset(nil)
	if _, err := Push(t.Context(), []*Bundle{b}, to(r)); err != nil {
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
	if calls, _ := r.reset(nil); count(calls, "PATCH", "") != 0 {
		t.Errorf("blobs were sent once more: %v", calls)
	}
}
