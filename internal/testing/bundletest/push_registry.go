package bundletest

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

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/network"
)

// Registry is go-containerregistry's on a loopback port, with a book of requests and a place to
// make trouble.
type Registry struct {
	*httptest.Server
	Mu    sync.Mutex
	Inner http.Handler
	Calls []string // "METHOD path?query", without "GET /v2/"
	Sent  int64    // bytes of blobs
	// trouble may answer a request itself and then returns true; see reset.
	Trouble func(http.ResponseWriter, *http.Request) bool
}

// NewRegistry starts a registry until the test ends.
func NewRegistry(tb testing.TB) *Registry {
	tb.Helper()
	r := &Registry{Inner: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))}
	r.Server = httptest.NewServer(r)
	tb.Cleanup(r.Close)
	return r
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.Mu.Lock()
	if q.URL.Path != "/v2/" {
		r.Calls = append(r.Calls, q.Method+" "+q.URL.RequestURI())
	}
	trouble := r.Trouble
	r.Mu.Unlock()
	if trouble != nil && trouble(w, q) {
		return
	}
	if q.Method == http.MethodPatch {
		q.Body = &Metered{q.Body, r}
	}
	r.Inner.ServeHTTP(w, q)
}

// Metered counts the bytes of a request body.
type Metered struct {
	io.ReadCloser
	R *Registry
}

func (m *Metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.R.Mu.Lock()
	m.R.Sent += int64(n)
	m.R.Mu.Unlock()
	return n, err
}

// Host is the address of the registry.
func (r *Registry) Host() string { return strings.TrimPrefix(r.URL, "http://") }

// Reset forgets what was called, and changes the trouble; nil is none. A request that its client
// gave up may still be under way: hence the lock.
func (r *Registry) Reset(trouble func(http.ResponseWriter, *http.Request) bool) (calls []string, sent int64) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	calls, sent = r.Calls, r.Sent
	r.Calls, r.Sent, r.Trouble = nil, 0, trouble
	return calls, sent
}

// Count tells how many calls begin and contain something.
func Count(calls []string, method, part string) int {
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c, method+" ") && strings.Contains(c, part) {
			n++
		}
	}
	return n
}

// To pushes to the registry below mirror.
func To(r *Registry) airgap.PushOptions {
	return airgap.PushOptions{To: r.Host() + "/mirror", Registry: network.Options{Wait: time.Microsecond}}
}

// Whole packs the demo for all platforms and opens the bundle.
func Whole(tb testing.TB, size int) *bundle.Bundle {
	tb.Helper()
	st, l := Demo(tb, size)
	return Opened(tb, Pack(tb, st, l, tb.TempDir(), airgap.Target{Name: "demo-images"})[0].Path)
}

// Part opens the demo's bundle for one platform.
func Part(tb testing.TB, p string) *bundle.Bundle {
	tb.Helper()
	b, _ := PartFile(tb, p)
	return b
}

// PartFile opens the demo's bundle for one platform, and returns its path as well.
func PartFile(tb testing.TB, p string) (*bundle.Bundle, string) {
	tb.Helper()
	st, l := Demo(tb, 1000)
	for _, f := range Pack(tb, st, l, tb.TempDir(), Targets(tb)...) {
		if strings.HasSuffix(f.Path, Parse(tb, p).Slug()+".tar.zst") {
			return Opened(tb, f.Path), f.Path
		}
	}
	tb.Fatalf("no bundle is for %s", p)
	return nil, ""
}

// Opened opens a bundle until the test ends.
func Opened(tb testing.TB, path string) *bundle.Bundle {
	tb.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	return b
}

// Pull validates every image of a push down to the last byte of its layers.
func Pull(tb testing.TB, p *airgap.Pushed) {
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

// Says checks that an error contains all parts.
func Says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
