package airgap

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/product"
)

// TestPushSparse pushes what is not complete to a registry that refuses that, and to one that
// takes it.
func TestPushSparse(t *testing.T) {
	t.Parallel()
	b, r := part(t, "linux/amd64"), newRegistry(t)
	_, err := Push(t.Context(), []*Bundle{b}, to(r))
	says(t, err, "only linux/amd64 of", "demo/agent:1.2.3", "for all platforms", "-platforms linux/amd64")
	if calls, _ := r.reset(nil); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}

	// go-containerregistry's registry refuses an index that lacks something.
	o := to(r)
	o.Platforms, o.Registry.Jobs = []string{"linux/amd64"}, 1
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "with all its platforms", "linux/arm64", "windows/amd64:10.0.17763.1", "for all platforms")

	// The bundle for all platforms completes it, and does not send again what is there.
	r.reset(nil)
	all := whole(t, 1000)
	p, err := Push(t.Context(), []*Bundle{all}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	calls, _ := r.reset(nil)
	agent := all.Contents().Images[0].Children[0]
	if n := count(calls, "PUT", agent.Layers[0].Digest.Hex); n != 0 {
		t.Error("a layer was sent again")
	}
	// Now the index is there, and with all its platforms.
	if p, err = Push(t.Context(), []*Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	for _, i := range p.Images {
		if len(i.Lacking) > 0 || !i.There {
			t.Errorf("%s lacks %v", i.Target, i.Lacking)
		}
	}
}

// TestPushTogether pushes the bundles for each platform: together they are complete, but for an
// attestation, which is in none.
func TestPushTogether(t *testing.T) {
	st, l := signed(t, 1000)
	l.ThirdParty = l.ThirdParty[1:]
	var parts []*Bundle
	for _, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		if strings.HasSuffix(f.Path, "amd64.tar.zst") || strings.HasSuffix(f.Path, "arm64.tar.zst") {
			parts = append(parts, opened(t, f.Path))
		}
	}
	r := newRegistry(t)
	p, err := Push(t.Context(), parts, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	if p.Referrers != 5 || len(p.Images) != 3 {
		t.Errorf("%d images were pushed and %d referrers", len(p.Images), p.Referrers)
	}

	// Another release of the same name does not mix.
	other, l2 := demo(t, 2000)
	parts = append(parts, opened(t, pack(t, other, l2, t.TempDir(), product.Bundle{Name: "other"})[0].Path))
	_, err = Push(t.Context(), parts, to(r))
	says(t, err, "slipway.local/demo/agent:1.2.3", "in one bundle and", "one release")
}

// lenient takes indexes whatever they lack, as Amazon's and GitHub's registries do: it has
// manifests alone.
func lenient(inner http.Handler) http.Handler {
	var mu sync.Mutex
	type doc struct {
		kind string
		raw  []byte
	}
	have := map[string]doc{}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		repo, which, ok := strings.Cut(q.URL.Path, "/manifests/")
		if !ok {
			inner.ServeHTTP(w, q)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if q.Method == http.MethodPut {
			raw, _ := io.ReadAll(q.Body)
			h, _, _ := v1.SHA256(strings.NewReader(string(raw)))
			have[repo+which] = doc{q.Header.Get("Content-Type"), raw}
			have[repo+h.String()] = have[repo+which]
			w.WriteHeader(http.StatusCreated)
			return
		}
		d, ok := have[repo+which]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h, _, _ := v1.SHA256(strings.NewReader(string(d.raw)))
		w.Header().Set("Content-Type", d.kind)
		w.Header().Set("Docker-Content-Digest", h.String())
		http.ServeContent(w, q, "", time.Time{}, strings.NewReader(string(d.raw)))
	})
}

func TestPushPlatforms(t *testing.T) {
	b, r := whole(t, 1000), newRegistry(t)
	r.inner = lenient(r.inner)
	o := to(r)
	o.Platforms = []string{"windows/amd64:ltsc2022"}
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range p.Images {
		names = append(names, i.Name)
	}
	if want := []string{"slipway.local/demo/agent:1.2.3"}; !slices.Equal(names, want) || len(p.Images[0].Lacking) != 4 || len(p.LeftOut) != 4 {
		t.Errorf("pushed %v, lacking %v, left out %v", names, p.Images[0].Lacking, p.LeftOut)
	}
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", "/manifests/"); n != 2 {
		t.Errorf("%d manifests were pushed, want one and its index", n)
	}

	// All of it now: the tag is there, what stands below it is not.
	o.Platforms = nil
	if p, err = Push(t.Context(), []*Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	for _, i := range p.Images {
		if i.There || len(i.Lacking) > 0 {
			t.Errorf("%s: there %v, lacking %v", i.Name, i.There, i.Lacking)
		}
	}

	o.Platforms = []string{"linux/s390x"}
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "-platforms linux/s390x", "no image")
	o.Platforms = []string{"plan9"}
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "-platforms", "plan9")
}
