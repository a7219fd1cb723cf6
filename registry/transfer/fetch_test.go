package transfer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// TestFetchResumes fetches a layer over connections that break off after a tenth of it: each goes
// on where the one before was.
func TestFetchResumes(t *testing.T) {
	const size = 1 << 20
	s := registrytest.Serve(t)
	img, err := random.Image(size, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref := s.Repo(t, "team/base").Tag("1")
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
	var breaks, sent atomic.Int64
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, "/blobs/") {
			return false
		}
		a := httptest.NewRecorder()
		s.Inner.ServeHTTP(a, q)
		body := a.Body.Bytes()
		for name, values := range a.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(a.Code)
		n, _ := w.Write(body[:min(len(body), size/10)]) // the client of this test may have gone
		sent.Add(int64(n))
		if len(body) > size/10 {
			breaks.Add(1)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		return true
	})
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := network.Options{Wait: 1, Attempts: 3}
	if err := transfer.New(o).Fetch(t.Context(), st, []*transfer.Wanted{{Ref: ref, Name: ref.String()}}); err != nil {
		t.Fatal(err)
	}
	if breaks.Load() < 9 || sent.Load() > size*3/2 {
		t.Errorf("%d connections broke off, and %d bytes were sent", breaks.Load(), sent.Load())
	}
}
