package audit_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestTags: a page is read once, is known not to be the last one, and a registry without a list has
// no tags.
func TestTags(t *testing.T) {
	r := registrytest.Serve(t)
	repo := r.Repo(t, "app")
	must(t, remote.WriteIndex(repo.Tag("1.2.3"), indextest.Index(t, "linux/amd64")))
	for name, tc := range map[string]struct {
		answer  func(w http.ResponseWriter)
		want    audit.TagPage
		fails   string
		refused string
	}{
		"whole": {nil, audit.TagPage{Tags: []string{"1.2.3"}, Whole: true}, "", ""},
		"first of two": {
			func(w http.ResponseWriter) {
				w.Header().Set("Link", "</v2/app/tags/list?last=b&n=2>; rel=\"next\"")
				fmt.Fprint(w, `{"name":"app","tags":["a","not a tag\u001b[31m","b"]}`)
			},
			audit.TagPage{Tags: []string{"a", "b"}},
			"", "",
		},
		"no list": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusMethodNotAllowed) }, audit.TagPage{}, "", "405 "},
		"none": {
			func(w http.ResponseWriter) { registrytest.Lacks(w) },
			audit.TagPage{},
			"",
			"no such repository, or the registry does not list tags: ",
		},
		"denied":    {func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, audit.TagPage{}, "", "401 "},
		"no answer": {func(w http.ResponseWriter) { fmt.Fprint(w, "tags") }, audit.TagPage{}, "invalid character", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if tc.answer == nil || !strings.Contains(q.URL.Path, "/tags/list") {
					return false
				}
				tc.answer(w)
				return true
			})
			r.Reset()
			client, tags := network.New(network.Options{Wait: time.Millisecond, Attempts: 1}), &audit.Tags{}
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					got, err := tags.Of(t.Context(), client, repo)
					if tc.refused == "" != (got.Refused == nil) ||
						got.Refused != nil && !strings.Contains(got.Refused.Error(), tc.refused) {
						t.Errorf("refused: %v, not %q", got.Refused, tc.refused)
					}
					if got.Whole != tc.want.Whole || !slices.Equal(got.Tags, tc.want.Tags) || (err != nil) != (tc.fails != "") ||
						err != nil && !strings.Contains(err.Error(), tc.fails) {
						t.Errorf("%+v, %v, not %+v", got, err, tc.want)
					}
				})
			}
			all.Wait()
			if n := r.Count(http.MethodGet, "/tags/list"); n != 1 {
				t.Errorf("%d requests, not 1", n)
			}
		})
	}
}
