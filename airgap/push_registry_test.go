package airgap

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

// registry is go-containerregistry's on a loopback port, with a book of requests and a place to
// make trouble.
type registry struct {
	*httptest.Server
	mu    sync.Mutex
	inner http.Handler
	calls []string // "METHOD path?query", without "GET /v2/"
	sent  int64    // bytes of blobs
	// trouble may answer a request itself and then returns true; see reset.
	trouble func(http.ResponseWriter, *http.Request) bool
}

func newRegistry(tb testing.TB) *registry {
	tb.Helper()
	r := &registry{inner: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))}
	r.Server = httptest.NewServer(r)
	tb.Cleanup(r.Close)
	return r
}

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	if q.URL.Path != "/v2/" {
		r.calls = append(r.calls, q.Method+" "+q.URL.RequestURI())
	}
	trouble := r.trouble
	r.mu.Unlock()
	if trouble != nil && trouble(w, q) {
		return
	}
	if q.Method == http.MethodPatch {
		q.Body = &metered{q.Body, r}
	}
	r.inner.ServeHTTP(w, q)
}

type metered struct {
	io.ReadCloser
	r *registry
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.r.mu.Lock()
	m.r.sent += int64(n)
	m.r.mu.Unlock()
	return n, err
}

func (r *registry) host() string { return strings.TrimPrefix(r.URL, "http://") }

// reset forgets what was called, and changes the trouble; nil is none. A request that its client
// gave up may still be under way: hence the lock.
func (r *registry) reset(trouble func(http.ResponseWriter, *http.Request) bool) (calls []string, sent int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls, sent = r.calls, r.sent
	r.calls, r.sent, r.trouble = nil, 0, trouble
	return calls, sent
}

// count tells how many calls begin and contain something.
func count(calls []string, method, part string) int {
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c, method+" ") && strings.Contains(c, part) {
			n++
		}
	}
	return n
}

func to(r *registry) PushOptions {
	return PushOptions{To: r.host() + "/mirror", Registry: network.Options{Wait: time.Microsecond}}
}

// whole packs the demo for all platforms and opens the bundle.
func whole(tb testing.TB, size int) *Bundle {
	tb.Helper()
	st, l := demo(tb, size)
	return opened(tb, pack(tb, st, l, tb.TempDir(), product.Bundle{Name: "demo-images"})[0].Path)
}

// part opens the demo's bundle for one platform.
func part(tb testing.TB, p string) *Bundle {
	tb.Helper()
	st, l := demo(tb, 1000)
	for _, f := range pack(tb, st, l, tb.TempDir(), bundles(tb)...) {
		if strings.HasSuffix(f.Path, parse(tb, p).Slug()+".tar.zst") {
			return opened(tb, f.Path)
		}
	}
	tb.Fatalf("no bundle is for %s", p)
	return nil
}

func opened(tb testing.TB, path string) *Bundle {
	tb.Helper()
	b, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	return b
}

// pull validates every image of a push down to the last byte of its layers.
func pull(tb testing.TB, p *Pushed) {
	tb.Helper()
	for _, i := range p.Images {
		for _, s := range []string{i.Target, i.Reference} {
			ref, err := name.ParseReference(s)
			if err != nil {
				tb.Fatal(err)
			}
			d, err := remote.Get(ref)
			if err != nil {
				tb.Fatal(err)
			}
			if !strings.HasSuffix(i.Reference, "@"+d.Digest.String()) {
				tb.Errorf("%s is %s, the bundle has %s", s, d.Digest, i.Reference)
			}
			if !d.MediaType.IsIndex() {
				img, err := d.Image()
				if err != nil {
					tb.Fatal(err)
				}
				if err := validate.Image(img); err != nil {
					tb.Errorf("%s: %v", s, err)
				}
				continue
			}
			idx, err := d.ImageIndex()
			if err != nil {
				tb.Fatal(err)
			}
			if err := validate.Index(idx); err != nil {
				tb.Errorf("%s: %v", s, err)
			}
		}
	}
}

func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
