package network_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestNoToken asks token servers that answer without a token: when a session begins, and when a
// token has expired. The error is one line that names the server and what to do.
func TestNoToken(t *testing.T) {
	for name, tt := range map[string]struct{ answer, want string }{
		"text":    {"please\nlog in", `with "please\nlog in", which is not JSON: a proxy may answer in its place`},
		"nothing": {"", `with "", which is not JSON`},
		"empty":   {"{}", "with JSON without one: log in to the registry"},
		"another": {`{"token": 5}`, "with JSON without one"},
		"list":    {`["hunter2"]`, "with JSON without one"},
	} {
		for _, path := range []string{"/token", "/v2/auth"} {
			for _, expires := range []bool{false, true} {
				s := registrytest.Serve(t)
				answer := tt.answer
				if expires {
					answer = `{"access_token": "abcdefgh"}`
				}
				s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
					switch {
					case q.URL.Path == path:
						io.WriteString(w, answer) //nolint:errcheck // a test's answer
						answer = tt.answer
					case q.URL.Path == "/v2/" && q.Header.Get("Authorization") != "":
						return false
					default:
						w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+path+`"`)
						w.WriteHeader(http.StatusUnauthorized)
					}
					return true
				})
				repo := s.Repo(t, "team/app")
				_, err := network.New(options()).Get(t.Context(), repo.Tag("1"))
				if err == nil || !strings.Contains(err.Error(), s.Host()+" answers a request for a token "+tt.want) ||
					strings.Contains(err.Error(), "\n") || outcome.Of(err) != outcome.Unread || !outcome.Failed(err) {
					t.Errorf("%s at %s, expires %t: %v", name, path, expires, err)
				}
			}
		}
	}
}
