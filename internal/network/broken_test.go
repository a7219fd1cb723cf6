package network_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestBrokenBody breaks off the first answer to each kind of request that is not for a blob in the
// middle of its body.
func TestBrokenBody(t *testing.T) {
	s := registrytest.Serve(t)
	img, repo := image(t, 100), s.Repo(t, "team/app")
	if err := push(t, network.New(options()), repo.Tag("1"), img); err != nil {
		t.Fatal(err)
	}
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	token := func(w http.ResponseWriter, q *http.Request) bool {
		switch {
		case q.URL.Path == "/token":
			// the client of this very test
			w.Write([]byte(`{"token":"abcdefgh"}`)) //nolint:errcheck // the client of this test
		case q.Header.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+`/token",service="test"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			return false
		}
		return true
	}
	for what, do := range map[string]func(*network.Session) error{
		"/token":     func(*network.Session) error { return nil },
		"/tags/list": func(r *network.Session) error { _, err := r.Tags(t.Context()); return err },
		"/referrers/": func(r *network.Session) error {
			_, err := r.Referrers(t.Context(), repo.Digest(digest.String()))
			return err
		},
		"/manifests/": func(r *network.Session) error { _, err := r.Get(t.Context(), repo.Tag("1")); return err },
	} {
		broken := false
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if !broken && strings.Contains(q.URL.Path, what) {
				broken = true
				full := httptest.NewRecorder()
				if !token(full, q) {
					s.Inner.ServeHTTP(full, q)
				}
				w.Header().Set("Content-Type", full.Header().Get("Content-Type"))
				w.Write(full.Body.Bytes()[:full.Body.Len()/2]) //nolint:errcheck // as above
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			return token(w, q)
		})
		session, err := network.New(options()).Session(t.Context(), repo, repo.Scope("pull"))
		if err == nil {
			err = do(session)
		}
		if err != nil || !broken {
			t.Errorf("%s: %v, broken off: %t", what, err, broken)
		}
	}
}
