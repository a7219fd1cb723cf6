package network_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// TestTagsEnd lists tags for ever: many, few on each page, the same ones, or none at all.
func TestTagsEnd(t *testing.T) {
	for _, tt := range []struct {
		tags  int // on a page
		other bool
		says  string
	}{
		{0, false, "the list has 21 pages with 0 entries"},
		{1, true, "the list has 21 pages with 21 entries"},
		{10_000, true, "lists more than 200000 tags, as no registry does"},
		{400, false, "the list has 21 pages with 400 entries"},
	} {
		s := registrytest.Serve(t)
		n := 0 // one request at a time
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if !strings.HasSuffix(q.URL.Path, "/tags/list") {
				return false
			}
			var list []string
			for k := range tt.tags {
				if tt.other {
					k += n
				}
				list = append(list, fmt.Sprintf(`"%d"`, k))
			}
			n += tt.tags
			w.Header().Set("Link", fmt.Sprintf("<%s?last=%d>; rel=next", q.URL.Path, n))
			fmt.Fprintf(w, `{"tags": [%s]}`, strings.Join(list, ","))
			return true
		})
		o := options()
		o.Idle = time.Minute // 21 requests are counted: none is made again on a busy machine
		_, err := network.New(o).Tags(t.Context(), s.Repo(t, "team/app"))
		if err == nil || !strings.Contains(err.Error(), tt.says) || s.Count("GET", "/tags/list") > 21 {
			t.Errorf("pages of %d tags: %d requests, %v", tt.tags, s.Count("GET", "/tags/list"), err)
		}
	}
}
