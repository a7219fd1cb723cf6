package network_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestNoRegistry pushes through what answers in place of a registry, from the first request on or
// only to some of them. Nothing of that counts as success.
func TestNoRegistry(t *testing.T) {
	page := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>log in</html>")
	}
	for name, tt := range map[string]struct {
		at   func(*http.Request) bool
		then func(http.ResponseWriter)
		want string
	}{
		"a portal for everything": {func(*http.Request) bool {
			return true
		}, page, `200 OK with content type "text/html`},
		"a portal for HEAD": {func(q *http.Request) bool {
			return q.Method == http.MethodHead
		}, page, `200 OK with content type "text/html`},
		"a portal for POST": {func(q *http.Request) bool {
			return q.Method == http.MethodPost
		}, page, `200 OK with content type "text/html`},
		"a portal for PATCH": {func(q *http.Request) bool {
			return q.Method == http.MethodPatch
		}, page, `200 OK with content type "text/html`},
		"a portal for manifests": {func(q *http.Request) bool {
			return q.Method == http.MethodPut && manifest(q)
		}, page, `200 OK with content type "text/html`},
		"200 to a manifest": {func(q *http.Request) bool {
			return q.Method == http.MethodPut && manifest(q)
		}, func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) }, "200 OK"},
		"204 to a manifest": {func(q *http.Request) bool {
			return q.Method == http.MethodPut && manifest(q)
		}, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, "204 No Content"},
		"200 to a blob": {func(q *http.Request) bool {
			return q.Method == http.MethodPut && !manifest(q)
		}, func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) }, "200 OK"},
		"a redirect to a portal": {func(q *http.Request) bool {
			return q.Method == http.MethodPut && manifest(q)
		}, func(w http.ResponseWriter) {
			w.Header().Set("Location", "/login")
			w.WriteHeader(http.StatusFound)
		}, "200 OK"},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if q.URL.Path == "/login" {
					page(w)
					return true
				}
				if tt.at(q) {
					tt.then(w)
				}
				return tt.at(q)
			})
			err := push(t, network.New(options()), s.Repo(t, "team/app").Tag("1"), image(t, 1000))
			host := strings.TrimPrefix(s.URL, "http://")
			for _, want := range []string{host + " answers " + tt.want, "as no registry does"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
		})
	}
}

// TestEndlessAnswer bounds what a server can make the client read before anything is known of it.
func TestEndlessAnswer(t *testing.T) {
	s := registrytest.Serve(t)
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodHead {
			return false
		}
		for q.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		return true
	})
	if _, err := network.New(options()).Get(t.Context(), s.Repo(t, "team/app").Tag("1")); err == nil {
		t.Error("an endless manifest is read")
	}
}

// TestRedirectLoop gives up on a server that sends a request to itself again and again.
func TestRedirectLoop(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		s := registrytest.Serve(t)
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method == method {
				http.Redirect(w, q, s.URL+q.URL.RequestURI(), http.StatusTemporaryRedirect)
			}
			return q.Method == method
		})
		err := push(t, network.New(options()), s.Repo(t, "team/app").Tag("1"), image(t, 100))
		if err == nil || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestRedirect sends blobs of a registry elsewhere: without its credentials, and never from HTTPS
// to HTTP.
func TestRedirect(t *testing.T) {
	s := registrytest.Serve(t)
	img := image(t, 1000)
	if err := push(t, network.New(options()), s.Repo(t, "team/app").Tag("1"), img); err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	credentials := make(chan string, 100)
	behind := func(w http.ResponseWriter, q *http.Request) {
		credentials <- q.Header.Get("Authorization")
		s.Inner.ServeHTTP(w, q)
	}
	plain := httptest.NewServer(http.HandlerFunc(behind))
	defer plain.Close()
	sealed := httptest.NewTLSServer(http.HandlerFunc(behind))
	defer sealed.Close()
	for name, tt := range map[string]struct{ to, want string }{
		"to HTTPS":       {sealed.URL, ""},
		"to HTTP":        {plain.URL, "redirects to plain HTTP"},
		"to a name":      {strings.Replace(plain.URL, "127.0.0.1", "localhost", 1), "redirects to plain HTTP"},
		"to far HTTP":    {"http://192.0.2.1", "plain HTTP is for loopback addresses only"},
		"to a far place": {"http://registry.example.com", "plain HTTP is for loopback addresses only"},
	} {
		t.Run(name, func(t *testing.T) {
			front := registrytest.New(t)
			front.Inner = s.Inner
			front.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if user, _, _ := q.BasicAuth(); user != "ann" {
					w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
					w.WriteHeader(http.StatusUnauthorized)
					return true
				}
				if isBlob(q) {
					http.Redirect(w, q, tt.to+q.URL.Path, http.StatusTemporaryRedirect)
					return true
				}
				return false
			})
			front.Server = httptest.NewTLSServer(front)
			defer front.Close()
			o := options()
			o.Transport, o.Keychain = front.Client().Transport, account{"ann", "correct horse"}
			repo := registryAt(t, strings.TrimPrefix(front.URL, "https://"))
			err := readBlob(t, network.New(o), repo, m.Layers[0])
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	close(credentials)
	n := 0
	for header := range credentials {
		if n++; header != "" {
			t.Errorf("another server was sent %q", header)
		}
	}
	if n != 1 {
		t.Errorf("%d requests were redirected, want 1", n)
	}
}
