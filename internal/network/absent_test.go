package network_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestAbsent: a status 404 means that something is not there, unless its body says that it was not
// looked for, or it is of the store of blobs to which the registry has redirected.
func TestAbsent(t *testing.T) {
	for body, want := range map[string]outcome.Outcome{
		"": outcome.Absent,
		`{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`: outcome.Absent,
		`{"errors":[{"code":"NOT_FOUND"}]}`:        outcome.Absent, // of Harbor
		`{"errors":[{"code":"TOOMANYREQUESTS"}]}`:  outcome.Unread,
		`{"errors":[{"code":"DENIED"}]}`:           outcome.Unread,
		`{"errors":[{"code":"UNAUTHORIZED"}]}`:     outcome.Unread,
		"307 /v2/elsewhere/app/manifests/1":        outcome.Absent, // as registry.k8s.io does
		"307 /store/sha256/7c":                     outcome.Unread,
	} {
		t.Run(body, func(t *testing.T) {
			s := registrytest.Serve(t)
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				to, redirects := strings.CutPrefix(body, "307 ")
				switch {
				case q.URL.Path == "/v2/":
					return false
				case redirects && q.URL.Path != to:
					http.Redirect(w, q, to, http.StatusTemporaryRedirect)
				default:
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusNotFound)
					if !redirects {
						w.Write([]byte(body)) //nolint:errcheck // the client of this very test
					}
				}
				return true
			})
			_, err := network.New(options()).Get(t.Context(), s.Repo(t, "team/app").Tag("1"))
			if got := outcome.Of(err); got != want || outcome.Failed(err) != (want == outcome.Unread) {
				t.Errorf("it is %d: %v", got, err)
			}
		})
	}
}
