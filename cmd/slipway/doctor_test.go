package main

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// oddRegistry VARIABLE KIND starts a registry until the tests end and sets a variable to its
// address. Kinds: login wants the user ann with the password "correct horse", deny refuses pushes,
// late has a clock that is an hour ahead.
func oddRegistry(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: oddregistry variable kind")
	}
	disturb, ok := map[string]func(http.ResponseWriter, *http.Request) bool{
		"login": func(w http.ResponseWriter, q *http.Request) bool {
			user, password, _ := q.BasicAuth()
			if user == "ann" && password == "correct horse" {
				return false
			}
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		},
		"deny": func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method != http.MethodPost {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"errors": [{"code": "DENIED", "message": "requested access is denied"}]}`) //nolint:errcheck // a test's answer
			return true
		},
		"late": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			return false
		},
	}[args[1]]
	if !ok {
		ts.Fatalf("unknown kind of registry %s", args[1])
	}
	s := registrytest.Serve(t)
	s.Disturb(disturb)
	ts.Setenv(args[0], s.Host())
}
