package network_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestScopes first reads and then writes to a registry whose tokens say what they are for: the
// right to write is requested when it is needed, once.
func TestScopes(t *testing.T) {
	s := registrytest.Serve(t)
	repo := s.Repo(t, "team/app")
	pull, push := repo.Scope(transport.PullScope), repo.Scope(transport.PushScope)
	var mu sync.Mutex
	var asked [][]string
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path == "/token" {
			scopes := q.URL.Query()["scope"]
			mu.Lock()
			asked = append(asked, scopes)
			mu.Unlock()
			token := "only-reads"
			if slices.Contains(scopes, push) {
				token = "also-writes"
			}
			fmt.Fprintf(w, `{"token":%q}`, token)
			return true
		}
		given := q.Header.Get("Authorization")
		reads := q.Method == http.MethodGet || q.Method == http.MethodHead
		if given == "Bearer also-writes" || given == "Bearer only-reads" && reads && q.URL.Path != "/v2/" {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+`/token",service="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	c := network.New(options())
	if _, err := c.Head(t.Context(), repo.Tag("1")); !network.Missing(err) {
		t.Fatal(err)
	}
	for range 2 {
		session, err := c.Session(t.Context(), repo, push)
		if err != nil {
			t.Fatal(err)
		}
		index, err := random.Index(10, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := index.RawManifest()
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Put(t.Context(), repo.Tag("1"), types.OCIImageIndex, raw); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Head(t.Context(), repo.Tag("1")); err != nil {
			t.Fatal(err)
		}
	}
	if want := [][]string{{pull}, {push, pull}}; !slices.EqualFunc(asked, want, slices.Equal[[]string]) {
		t.Errorf("tokens were requested for %q, want %q", asked, want)
	}
}
