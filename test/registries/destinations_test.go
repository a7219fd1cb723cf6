package registries

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// TestDestinations pushes a release to every kind of registry at once, and to two places in one of
// them: each blob is read from the store once, and sent to each registry once. Most layers are
// larger than what the registries may be apart.
func TestDestinations(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := storetest.Release(t, st, 6<<20)
	var at []software
	for _, start := range kinds {
		at = append(at, start(t))
	}
	places := []string{at[0].host, at[1].host + "/prefix", at[2].host, at[0].host + "/second/place"}
	all, blobs := make([][]transfer.Image, len(places)), map[v1.Hash]bool{}
	for _, i := range l.Images {
		tree, err := oci.Read(i.Descriptor(), st.Get, oci.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for m := range tree.All() {
			for _, b := range m.Blobs() {
				blobs[b.Digest] = true
			}
		}
		for n, place := range places {
			repo, err := name.NewRepository(place + "/" + i.Name)
			if err != nil {
				t.Fatal(err)
			}
			all[n] = append(all[n], transfer.Image{Name: i.Name, Ref: repo.Tag("1.2.3"), Tree: tree})
		}
	}
	var mu sync.Mutex
	opened, sent := map[v1.Hash]int{}, map[string]int{}
	source := transfer.Source{Open: func(h v1.Hash) (io.ReadCloser, error) {
		mu.Lock()
		defer mu.Unlock()
		opened[h]++
		return st.Open(h)
	}}
	counted := transport(func(q *http.Request) (*http.Response, error) {
		if q.Method == http.MethodPatch {
			mu.Lock()
			sent[q.URL.Host]++
			mu.Unlock()
		}
		return http.DefaultTransport.RoundTrip(q)
	})
	for n, done := range transfer.New(network.Options{Wait: time.Millisecond, Transport: counted}).PushAll(t.Context(),
		all, source, transfer.PushOptions{Task: "push"}) {
		if done.Err != nil {
			t.Errorf("%s: %v", places[n], done.Err)
		}
	}
	for h := range blobs {
		if opened[h] != 1 {
			t.Errorf("%s was opened %d times", h, opened[h])
		}
	}
	for _, r := range at {
		if sent[r.host] != len(blobs) {
			t.Errorf("%d blobs were sent to %s, the release has %d", sent[r.host], r.host, len(blobs))
		}
	}
	for n, place := range places {
		here := *l
		here.Images = append([]lock.Image{}, l.Images...)
		for k := range here.Images {
			here.Images[k].Repository = place + "/" + here.Images[k].Name
		}
		pullBack(t, at[n%len(at)], &here)
	}
}
