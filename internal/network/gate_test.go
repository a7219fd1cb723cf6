package network_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
)

// TestLimit: a host gets as many requests at a time as it may, and those that wait for their turn
// longer than a stall may take are answered all the same.
func TestLimit(t *testing.T) {
	const limit, all = 2, 12
	var now, most atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(50 * time.Millisecond)
		if q.URL.Path != "/v2/" {
			w.Header().Set("Docker-Content-Digest", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			w.Header().Set("Content-Length", "2") // HEAD is enough
		}
	}))
	defer s.Close()
	c := network.New(network.Options{Limit: limit, Attempts: 1, Idle: 250 * time.Millisecond, GiveUp: time.Second})
	var g errgroup.Group
	for range all {
		g.Go(func() error {
			ref, err := name.ParseReference(s.Listener.Addr().String() + "/app:1")
			if err != nil {
				return err
			}
			_, err = c.Head(t.Context(), ref)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if m := most.Load(); m > limit {
		t.Errorf("%d requests at a time, not %d", m, limit)
	}
}
