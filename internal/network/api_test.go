package network_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
)

// TestTokenStays follows a redirect of GET to another host, which does not see the token, and no
// redirect of POST.
func TestTokenStays(t *testing.T) {
	var there, seen string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		seen = q.Header.Get("Authorization")
		io.WriteString(w, "there") //nolint:errcheck // a test's answer
	}))
	defer other.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer secret-token" {
			t.Errorf("the token is %q", q.Header.Get("Authorization"))
		}
		http.Redirect(w, q, there, http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	// both are this machine; the last one is a name below that of the first
	for _, host := range []string{"127.0.0.1", "localhost", "sub.localhost"} {
		if _, err := net.DefaultResolver.LookupHost(t.Context(), host); err != nil {
			t.Log("not every machine knows this name: ", err)
			continue
		}
		there, seen = strings.Replace(other.URL, "127.0.0.1", host, 1), "nothing"
		from := strings.Replace(here.URL, "127.0.0.1", "localhost", 1)
		a, err := network.New(options()).Do(t.Context(),
			network.Request{Method: http.MethodGet, URL: from, Token: "secret-token"})
		if err != nil || string(a.Body) != "there" || seen != "" {
			t.Errorf("GET by %s: %v, %v; the other host saw %q", host, a, err, seen)
		}
		a, err = network.New(options()).Do(t.Context(),
			network.Request{Method: http.MethodPost, URL: from, Token: "secret-token"})
		if err != nil || a.Status != http.StatusTemporaryRedirect || seen != "" {
			t.Errorf("POST: %v, %v; the other host saw %q", a, err, seen)
		}
	}
}

// TestOnce repeats a request to be made once only where the server refused it.
func TestOnce(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter) // of the first request
		once   bool
		want   int32 // requests
		lost   bool
	}{
		"limited":      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, true, 2, false},
		"failed":       {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, true, 1, false},
		"failed often": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, false, 2, false},
		"cut": {func(w http.ResponseWriter) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				c.Close()
			}
		}, true, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			var count atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if text, _ := io.ReadAll(q.Body); string(text) != "text" {
					t.Errorf("the body is %q", text)
				}
				if count.Add(1) == 1 {
					c.answer(w)
				}
			}))
			defer s.Close()
			body, size := network.Bytes([]byte("text"))
			_, err := network.New(options()).Do(t.Context(),
				network.Request{Method: http.MethodPost, URL: s.URL, Body: body, Size: size, Once: c.once})
			if count.Load() != c.want || errors.As(err, &network.Lost{}) != c.lost || (err != nil) != c.lost {
				t.Errorf("%d requests, want %d; the error is %v", count.Load(), c.want, err)
			}
		})
	}
}
