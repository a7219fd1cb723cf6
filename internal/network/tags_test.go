package network_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestTags lists tags in pages; one page fails the first time, and breaks off the second.
func TestTags(t *testing.T) {
	s := registrytest.Serve(t)
	var failures atomic.Int32 // the handler of a lost connection may still run
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if !strings.HasSuffix(q.URL.Path, "/v2/team/app/tags/list") {
			return false
		}
		last := q.URL.Query().Get("last")
		if last == "b" && failures.Load() < 2 {
			if failures.Add(1) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"tags": ["c`)
			panic(http.ErrAbortHandler)
		}
		page := map[string]string{"": `"a", "b"`, "b": `"c"`, "c": ``}[last]
		if next := map[string]string{"": "b", "b": "c"}[last]; next != "" {
			w.Header().Set("Link", `</v2/team/app/tags/list?last=`+next+`>; rel="next"`)
		}
		fmt.Fprintf(w, `{"name": "team/app", "tags": [%s]}`, page)
		return true
	})
	got, err := network.New(options()).Tags(t.Context(), s.Repo(t, "team/app"))
	if d := cmp.Diff([]string{"a", "b", "c"}, got); err != nil || d != "" || failures.Load() != 2 {
		t.Errorf("got %v after %d failures, %v", got, failures.Load(), err)
	}
}

// TestTagsEnd lists tags for ever: many, or none at all.
func TestTagsEnd(t *testing.T) {
	for _, tags := range []int{0, 10_000} {
		s := registrytest.Serve(t)
		list := strings.TrimSuffix(strings.Repeat(`"a",`, tags), ",")
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			w.Header().Set("Link", "<"+q.URL.Path+"?last=a>; rel=next")
			fmt.Fprintf(w, `{"tags": [%s]}`, list)
			return strings.HasSuffix(q.URL.Path, "/tags/list")
		})
		_, err := network.New(options()).Tags(t.Context(), s.Repo(t, "team/app"))
		if err == nil || !strings.Contains(err.Error(), "/team/app lists more than 200000 tags or 2000 pages, as no registry does") {
			t.Errorf("pages of %d tags: %v", tags, err)
		}
	}
}
