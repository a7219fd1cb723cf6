package cluster

import (
	"encoding/json"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// shared are the repositories of a registry, sorted.
func shared(t *testing.T, h http.Handler) []string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v2/_catalog?n=1000", http.NoBody))
	var c struct{ Repositories []string }
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
		t.Fatalf("the registry's catalog: %v: %s", err, w.Body)
	}
	slices.Sort(c.Repositories)
	return c.Repositories
}

// TestOwn: what one cluster pushes another does not see, and the release's images are there for
// both.
func TestOwn(t *testing.T) {
	t.Parallel()
	r := &release{registry: registry.New(registry.Logger(log.New(quiet{}, "", 0)))}
	one, two := httptest.NewServer(r.own()), httptest.NewServer(r.own())
	t.Cleanup(one.Close)
	t.Cleanup(two.Close)
	for repository, seen := range map[string]bool{
		"/apps/rebased": false, "/mirrored/app": false,
		"/mirror/kpack/controller": true,
	} {
		for _, s := range []*httptest.Server{one, two} {
			ref, err := name.NewTag(s.Listener.Addr().String() + repository + ":latest")
			if err != nil {
				t.Fatal(err)
			}
			if s == one {
				if err := remote.Write(ref, empty.Image, remote.WithContext(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := remote.Image(ref, remote.WithContext(t.Context())); (err == nil) != (seen || s == one) {
				t.Errorf("%s: %v", ref, err)
			}
		}
	}
}
