package network_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// floods answers without end.
func floods(w http.ResponseWriter, q *http.Request) {
	for text := []byte(strings.Repeat(`{"token":"a",`, 10_000)); q.Method != http.MethodHead; {
		if _, err := w.Write(text); err != nil {
			return
		}
	}
}

// TestHostile asks servers that answer without end, in one answer or in many: each ends by one line
// after a bounded number of requests and bytes.
func TestHostile(t *testing.T) {
	asks := func(w http.ResponseWriter, realm string) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="test"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
	for what, tt := range map[string]struct {
		answer   func(s *registrytest.Server, w http.ResponseWriter, q *http.Request)
		requests int // at most
		says     string
	}{
		"every request is to log in": {func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/token" {
				fmt.Fprint(w, `{"token":"abcdefgh"}`)
				return
			}
			asks(w, s.URL+"/token")
		}, 20, "401"},
		"the token service wants a token": {func(s *registrytest.Server, w http.ResponseWriter, _ *http.Request) {
			asks(w, s.URL+"/token")
		}, 20, "401"},
		"the token service is elsewhere": {func(_ *registrytest.Server, w http.ResponseWriter, _ *http.Request) {
			asks(w, "http://192.0.2.1/token")
		}, 20, "plain HTTP is for loopback addresses only"},
		"endless token": {func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/token" {
				floods(w, q)
				return
			}
			asks(w, s.URL+"/token")
		}, 20, "body exceeds 65536 byte limit"},
		"redirects to itself": {func(_ *registrytest.Server, w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/v2/" {
				http.Redirect(w, q, q.URL.Path, http.StatusTemporaryRedirect)
			}
		}, 40, "redirects more than 10 times"},
		"redirects on and on": {func(_ *registrytest.Server, w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/v2/" {
				http.Redirect(w, q, q.URL.Path+"/x", http.StatusTemporaryRedirect)
			}
		}, 40, "redirects more than 10 times"},
		"endless error": {func(_ *registrytest.Server, w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/v2/" {
				w.WriteHeader(http.StatusForbidden)
				floods(w, q)
			}
		}, 20, "body exceeds 65536 byte limit"},
	} {
		t.Run(what, func(t *testing.T) {
			s := registrytest.Serve(t)
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				tt.answer(s, w, q)
				return true
			})
			o := options()
			o.Attempts = 6
			c := network.New(o)
			tag := s.Repo(t, "team/app").Tag("1")
			_, err := c.Get(t.Context(), tag)
			if _, headed := c.Head(t.Context(), tag); headed == nil {
				t.Error("HEAD succeeds")
			}
			if err = network.Clean(err); err == nil || !strings.Contains(err.Error(), tt.says) ||
				strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000 {
				t.Errorf("the error is %.2000v, and not %q", err, tt.says)
			}
			if n := s.Count("", ""); n > tt.requests {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestHostileDownloads downloads files without end, and asks for configurations that are too large:
// no more is read than was allowed before.
func TestHostileDownloads(t *testing.T) {
	s := registrytest.Serve(t)
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/declared":
			w.Header().Set("Content-Length", "1125899906842624")
			floods(w, q)
		case "/endless":
			floods(w, q)
		case "/v2/":
			return false
		default:
			t.Error("a request for " + q.URL.Path)
		}
		return true
	})
	c := network.New(options())
	full := func(size int64) error { return fmt.Errorf("no room for %d", size) }
	if _, err := c.Download(t.Context(), s.URL+"/declared", full); err == nil ||
		!strings.Contains(err.Error(), "no room for 1125899906842624") {
		t.Errorf("the error is %v", err)
	}
	r, err := c.Download(t.Context(), s.URL+"/endless", full)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.Copy(io.Discard, r); err == nil ||
		!strings.Contains(err.Error(), "sends more than 1073741824 bytes") || n > 1<<30 {
		t.Errorf("%d bytes, %v", n, err)
	}
	d := v1.Descriptor{Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("c", 64)}, Size: 1 << 50}
	if _, err := c.Configs(t.Context(), s.Repo(t, "evil"))(d); err == nil ||
		!strings.Contains(err.Error(), "it may have at most 8388608") {
		t.Errorf("the error is %v", err)
	}
}
