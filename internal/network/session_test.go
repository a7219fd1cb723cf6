package network_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
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
	if _, err := c.Head(t.Context(), repo.Tag("1")); outcome.Of(err) != outcome.Absent {
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

// TestNoSession: what a token server or the address /v2/ answers says nothing about an image. With
// a 404 of theirs it is not absent.
func TestNoSession(t *testing.T) {
	for name, at := range map[string]func(n int64, path string) bool{
		"/v2/":                          func(_ int64, path string) bool { return path == "/v2/" },
		"token":                         func(_ int64, path string) bool { return path == "/token" },
		"token that is asked for again": func(n int64, path string) bool { return path == "/token" && n > 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			var tokens atomic.Int64
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				switch {
				case q.URL.Path == "/token" && !at(tokens.Add(1), q.URL.Path):
					fmt.Fprint(w, `{"token":"once"}`)
				case at(tokens.Load(), q.URL.Path):
					w.WriteHeader(http.StatusNotFound)
				default: // also with a token
					w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+`/token",service="test"`)
					w.WriteHeader(http.StatusUnauthorized)
				}
				return true
			})
			_, err := network.New(options()).Head(t.Context(), s.Repo(t, "team/app").Tag("1"))
			if outcome.Of(err) != outcome.Unread || !outcome.Failed(err) {
				t.Errorf("%d, %v", outcome.Of(err), err)
			}
		})
	}
}
