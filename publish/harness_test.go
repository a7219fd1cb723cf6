package publish_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	ggcr "github.com/google/go-containerregistry/pkg/registry"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// cut makes a store with a release of small images, and the product it belongs to.
func cut(tb testing.TB, size int) (*product.Product, *store.Store, *lock.Lock) {
	tb.Helper()
	st := storetest.Open(tb)
	l := storetest.Release(tb, st, size)
	return storetest.Product(tb, l), st, l
}

// quick retries at once, as tests want it.
var quick = publish.Options{Wait: time.Microsecond}

// server is go-containerregistry's registry on a loopback port, with a book of requests and a
// place to make trouble.
type server struct {
	*httptest.Server
	inner http.Handler

	mu      sync.Mutex
	calls   []string                                      // "METHOD path?query", without "GET /v2/"
	sent    int64                                         // bytes of request bodies of blobs
	trouble func(http.ResponseWriter, *http.Request) bool // see disturb
}

func serve(tb testing.TB) *server {
	tb.Helper()
	s := &server{inner: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	if q.URL.Path != "/v2/" {
		s.calls = append(s.calls, q.Method+" "+q.URL.RequestURI())
	}
	trouble := s.trouble
	s.mu.Unlock()
	if trouble != nil && trouble(w, q) {
		return
	}
	if strings.Contains(q.URL.Path, "/blobs/uploads/") {
		q.Body = &counting{q.Body, s}
	}
	s.inner.ServeHTTP(w, q)
}

type counting struct {
	io.ReadCloser
	s *server
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.s.mu.Lock()
	c.s.sent += int64(n)
	c.s.mu.Unlock()
	return n, err
}

// disturb lets trouble see each request before the registry; it may answer it itself, or do
// anything to it, and then returns true. Nil ends it. A request that its client gave up may still
// be under way: hence the lock.
func (s *server) disturb(trouble func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble
}

// host is what -registry names.
func (s *server) host() string { return strings.TrimPrefix(s.URL, "http://") }

// count tells how many requests had a method and a path that contains part, and forgets nothing.
func (s *server) count(method, part string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if strings.HasPrefix(c, method+" ") && strings.Contains(c, part) {
			n++
		}
	}
	return n
}

// reset forgets what was called.
func (s *server) reset() (calls []string, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls, sent = s.calls, s.sent
	s.calls, s.sent = nil, 0
	return calls, sent
}

// check pulls every image of a lock from its registry, by tag, and validates each layer of it.
func check(tb testing.TB, l *lock.Lock) {
	tb.Helper()
	for _, i := range l.Images {
		ref, err := name.ParseReference(i.Tagged())
		if err != nil {
			tb.Fatal(err)
		}
		d, err := remote.Get(ref)
		if err != nil {
			tb.Fatal(err)
		}
		if d.Digest != i.Digest {
			tb.Errorf("%s is %s, the lock says %s", ref, d.Digest, i.Digest)
		}
		if !d.MediaType.IsIndex() {
			img, err := d.Image()
			if err != nil {
				tb.Fatal(err)
			}
			if err := validate.Image(img); err != nil {
				tb.Errorf("%s: %v", ref, err)
			}
			continue
		}
		idx, err := d.ImageIndex()
		if err != nil {
			tb.Fatal(err)
		}
		if err := validate.Index(idx); err != nil {
			tb.Errorf("%s: %v", ref, err)
		}
	}
}

// blobs lists every blob that the images of l refer to, each once, with the repositories it is in.
func blobs(tb testing.TB, st *store.Store, l *lock.Lock) map[v1.Hash]map[string]bool {
	tb.Helper()
	all := map[v1.Hash]map[string]bool{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			if err != nil {
				tb.Fatal(err)
			}
			m, err := img.Manifest()
			if err != nil {
				tb.Fatal(err)
			}
			for _, d := range append(m.Layers, m.Config) {
				if all[d.Digest] == nil {
					all[d.Digest] = map[string]bool{}
				}
				all[d.Digest][i.Name] = true
			}
		}
	}
	return all
}

// separate makes a registry that keeps blobs per repository and can mount them, of one that has
// them all in one place.
func separate(inner http.Handler) http.Handler {
	var mu sync.Mutex
	there := map[string]bool{} // "repository digest"
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		repo, rest, ok := strings.Cut(strings.TrimPrefix(q.URL.Path, "/v2/"), "/blobs/")
		if !ok {
			inner.ServeHTTP(w, q)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		v := q.URL.Query()
		switch {
		case q.Method == http.MethodHead && !there[repo+" "+rest]:
			w.WriteHeader(http.StatusNotFound)
			return
		case q.Method == http.MethodPost && v.Has("mount") && there[v.Get("from")+" "+v.Get("mount")]:
			there[repo+" "+v.Get("mount")] = true
			w.WriteHeader(http.StatusCreated)
			return
		case q.Method == http.MethodPut:
			there[repo+" "+v.Get("digest")] = true
		}
		inner.ServeHTTP(w, q)
	})
}

// whole looks whether a store has the manifest of an image and every blob it refers to.
func whole(tb testing.TB, st *store.Store, h v1.Hash) {
	tb.Helper()
	img, err := st.Image(h)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		tb.Fatal(err)
	}
	for _, b := range append(m.Layers, m.Config) {
		if !st.Has(b.Digest) {
			tb.Errorf("blob %s (%s) of %s is not in the store", b.Digest, b.MediaType, h)
		}
	}
}

// remove takes a blob out of a store.
func remove(tb testing.TB, st *store.Store, h v1.Hash) {
	tb.Helper()
	if err := os.Remove(st.Path(h)); err != nil {
		tb.Fatal(err)
	}
}
