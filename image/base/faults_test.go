package base_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
)

// TestFaults fetches and locks bases while each request fails at first. The retries that
// pushing relies on must also work here.
func TestFaults(t *testing.T) {
	closing := make(chan struct{})
	t.Cleanup(func() { close(closing) })
	faults := map[string]func(w http.ResponseWriter, q *http.Request, next http.Handler){
		"429": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"503": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"drop": func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) },
		"half a header": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") //nolint:errcheck // the client of this very test
			c.Close()
		},
		"half a body": func(w http.ResponseWriter, q *http.Request, next http.Handler) {
			whole := httptest.NewRecorder()
			next.ServeHTTP(whole, q)
			for k, v := range whole.Header() {
				w.Header()[k] = v
			}
			w.WriteHeader(whole.Code)
			w.Write(whole.Body.Bytes()[:whole.Body.Len()/2]) //nolint:errcheck // the client of this very test
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"silence": func(_ http.ResponseWriter, q *http.Request, _ http.Handler) {
			select {
			case <-closing:
			case <-q.Context().Done():
			}
		},
	}
	for name, fail := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner := registrytest.Handler()
			var mu sync.Mutex
			failed := map[string]bool{} // nil lets every request pass
			failing := false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				key := q.Method + " " + q.URL.Path
				mu.Lock()
				first := failing && !failed[key]
				if first {
					failed[key] = true
				}
				mu.Unlock()
				if first {
					fail(w, q, inner)
					return
				}
				inner.ServeHTTP(w, q)
			}))
			defer s.Close()
			host := strings.TrimPrefix(s.URL, "http://")
			img := image(t, parse(t, "linux/amd64"))
			ref := pushIndex(t, host+"/base:1", mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
				Add: img, Descriptor: v1.Descriptor{Platform: platformOf(t, img)},
			}))
			mu.Lock()
			failing = true
			mu.Unlock()
			o := network.Options{Wait: time.Microsecond, Idle: 250 * time.Millisecond, Attempts: 10}
			r := base.Resolver{File: "slipway.yaml", Store: storetest.Open(t), Client: network.New(o)}
			b, err := r.Resolve(t.Context(), ref, parse(t, "linux/amd64"))
			if err != nil {
				t.Fatal(err)
			}
			same(t, b.Image, img)

			mu.Lock()
			clear(failed)
			mu.Unlock()
			p := &product.Product{
				Path: "slipway.yaml",
				Bases: []product.Base{{Name: "base", Images: []product.BaseImage{{
					Platform: parse(t, "linux/amd64"), Reference: reference(t, host+"/base:1"), Tag: "1",
				}}}},
			}
			l, err := base.Lock(t.Context(), p, network.New(o), base.LockOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(ref, l.Entries[0].Digest.String()) {
				t.Errorf("locked at %s, want %s", l.Entries[0].Digest, ref)
			}
		})
	}
}
