package registries

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// cutter is a proxy to a registry that breaks off each answer with a blob after some bytes.
type cutter struct {
	after           int // bytes of each answer that pass
	cuts, whole, of atomic.Int64
}

// before serves it, and returns its address.
func (c *cutter) before(t *testing.T, r software) string {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: r.host})
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet && strings.Contains(q.URL.Path, "/blobs/") {
			w = &short{ResponseWriter: w, c: c, left: c.after}
		}
		proxy.ServeHTTP(w, q)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// short is an answer that breaks off.
type short struct {
	http.ResponseWriter

	c    *cutter
	left int
}

func (s *short) WriteHeader(code int) {
	if code == http.StatusOK {
		s.c.whole.Add(1)
	}
	s.ResponseWriter.WriteHeader(code)
}

func (s *short) Write(p []byte) (int, error) {
	n, err := s.ResponseWriter.Write(p[:min(len(p), s.left)])
	s.c.of.Add(int64(n))
	if s.left -= n; n < len(p) {
		s.c.cuts.Add(1)
		s.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// TestResume fetches an image, as bases and third-party images are fetched, and copies a release
// from registries behind a proxy that breaks off: each blob is requested as a whole once.
func TestResume(t *testing.T) {
	const size, after = 1 << 20, 100_000
	for kind, start := range kinds {
		t.Run(kind, func(t *testing.T) {
			r := start(t)
			img, err := random.Image(size, 2)
			if err != nil {
				t.Fatal(err)
			}
			ref, err := name.NewTag(r.host + "/team/base:1")
			if err != nil {
				t.Fatal(err)
			}
			if err := remote.Write(ref, img); err != nil {
				t.Fatal(err)
			}
			c := &cutter{after: after}
			if ref.Repository, err = name.NewRepository(c.before(t, r) + "/team/base"); err != nil {
				t.Fatal(err)
			}
			st, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			o := network.Options{Wait: time.Millisecond, Attempts: 2}
			if err := transfer.New(o).Fetch(t.Context(), st, []*transfer.Wanted{{Ref: ref, Name: ref.String()}}); err != nil {
				t.Fatal(err)
			}
			if c.cuts.Load() < 2*(size/after) || c.whole.Load() != 3 || c.of.Load() > 2*size+10*after {
				t.Errorf("%d answers broke off, %d began anew, %d bytes were sent", c.cuts.Load(), c.whole.Load(),
					c.of.Load())
			}
		})
	}
}

// TestPromoteResumes copies a release from a registry behind such a proxy.
func TestPromoteResumes(t *testing.T) {
	for kind, start := range kinds {
		t.Run(kind, func(t *testing.T) {
			source, target := start(t), distribution3(t, false, false)
			c := &cutter{after: 20_000}
			l, about := stage(t, software{host: c.before(t, source)})
			o := promote.Options{
				To:       []string{target.host + "/final"},
				Registry: network.Options{Wait: time.Millisecond, Attempts: 2},
			}
			if _, err := promote.Lock(t.Context(), l, o); err != nil {
				t.Fatal(err)
			}
			if c.cuts.Load() == 0 {
				t.Error("nothing broke off")
			}
			promoted(t, target, l, about)
		})
	}
}
