package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
)

// TestDiscard discards the manifests of a part where a tag leads to them and where none does, in
// registries that list their tags and in those that do not. Only manifests that are known to be
// unused are deleted.
func TestDiscard(t *testing.T) {
	list := func(code int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, q *http.Request) bool {
			if !strings.HasSuffix(q.URL.Path, "/tags/list") {
				return false
			}
			w.WriteHeader(code)
			w.Write([]byte(body)) //nolint:errcheck // the client of this very test
			return true
		}
	}
	unknown := `{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}`
	for _, c := range []struct {
		name     string
		answer   func(http.ResponseWriter, *http.Request) bool
		released bool
		newer    bool // a part that is made today names the same manifests
		want     int  // manifests that go
		err      string
	}{
		{name: "listed, no tag leads there", want: 4},
		{name: "listed, a tag leads there", released: true},
		{name: "a newer part", newer: true},
		{name: "no repository", answer: list(http.StatusNotFound, unknown), want: 4},
		{name: "no repository, and tags that answer", answer: list(http.StatusNotFound, unknown), released: true},
		{name: "no lists", answer: list(http.StatusNotFound, "not found")},
		{name: "no lists, and tags that answer", answer: list(http.StatusNotFound, "not found"), released: true},
		{name: "an empty list, and tags that answer", answer: list(http.StatusOK, `{"tags":[]}`), released: true},
		{name: "lists denied", answer: list(http.StatusForbidden, ""), released: true, err: "403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := registrytest.Serve(t)
			linux := part(t, s.Host()+"/demo", "linux")
			if c.released {
				p, st, _ := cut(t, 2000)
				p.Registry = linux.Registry
				if _, err := merge(t, p, st, []*lock.Part{linux, part(t, linux.Registry, "windows")}); err != nil {
					t.Fatal(err)
				}
			}
			var keep []*lock.Part
			if c.newer {
				keep = append(keep, linux)
			}
			s.Disturb(c.answer)
			s.Reset()
			all, err := publish.Discard(t.Context(), linux, keep, true, quick)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			gone := 0
			for _, u := range all {
				if u.Kept == "" {
					gone++
				}
			}
			if n := s.Count("DELETE", "/manifests/"); gone != c.want || n != c.want {
				t.Errorf("%d manifests are said to be gone, %d were deleted, want %d: %+v", gone, n, c.want, all)
			}
		})
	}
}
