package docs

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
)

// github is GitHub with the repository me/kpack, whose tag v0.16.1 is that of kpack's commit.
func github(t *testing.T, m *machine) {
	t.Helper()
	hub := githubtest.Serve(t)
	hub.Repository, hub.Uploads = "me/kpack", "https://uploads.github.com"
	hub.Refs["v0.16.1"] = "commit " + strings.Repeat("1", 40)
	under := func(prefix string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			q.URL.Path = prefix + q.URL.Path
			hub.ServeHTTP(w, q)
		})
	}
	m.hosts["api.github.com"], m.hosts["uploads.github.com"] = under("/api/v3"), under("/api/uploads")
}
