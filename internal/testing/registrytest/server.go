// Package registrytest runs a registry on a loopback port that records requests and can misbehave.
package registrytest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
)

// Server is go-containerregistry's registry.
type Server struct {
	*httptest.Server
	Inner http.Handler // answers what nothing disturbs

	closing <-chan struct{} // closed when the test ends
	end     func()          // closes it

	mu      sync.Mutex
	calls   []string // "METHOD path?query"
	sent    int64    // bytes of request bodies of blobs
	disturb func(http.ResponseWriter, *http.Request) bool
}

// Serve starts a registry, which ends with the test.
func Serve(tb testing.TB, o ...ggcr.Option) *Server {
	tb.Helper()
	s := New(tb, o...)
	s.Server = httptest.NewServer(s)
	tb.Cleanup(func() {
		s.end() // first: Close waits for requests
		s.Close()
	})
	return s
}

// New returns a registry that the test still has to start.
func New(tb testing.TB, o ...ggcr.Option) *Server {
	tb.Helper()
	closing := make(chan struct{})
	s := &Server{Inner: Handler(o...), closing: closing}
	s.end = sync.OnceFunc(func() { close(closing) })
	tb.Cleanup(s.end)
	return s
}

// ServeHTTP records a request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	if q.URL.Path != "/v2/" {
		s.calls = append(s.calls, q.Method+" "+q.URL.RequestURI())
	}
	disturb := s.disturb
	s.mu.Unlock()
	if disturb != nil && disturb(w, q) {
		return
	}
	if strings.Contains(q.URL.Path, "/blobs/uploads/") {
		q.Body = &counting{q.Body, s}
	}
	s.Inner.ServeHTTP(w, q)
}

type counting struct {
	io.ReadCloser
	s *Server
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.s.mu.Lock()
	c.s.sent += int64(n)
	c.s.mu.Unlock()
	return n, err
}

// Disturb shows f each request before the registry; f returns true if it has answered. Nil ends
// it. A request that its client gave up may still be under way.
func (s *Server) Disturb(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = f
}

// Hang answers nothing until the test ends or the client goes away.
func (s *Server) Hang(q *http.Request) {
	select {
	case <-s.closing:
	case <-q.Context().Done():
	}
}

// Wait waits for d, and returns false if the test ends or the client goes away before.
func (s *Server) Wait(q *http.Request, d time.Duration) bool {
	select {
	case <-s.closing:
		return false
	case <-q.Context().Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Host is the registry in references.
func (s *Server) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Repo returns a repository of the registry.
func (s *Server) Repo(tb testing.TB, path string) name.Repository {
	tb.Helper()
	r, err := name.NewRepository(s.Host() + "/" + path)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Count returns how many requests had a method and a path that contains part.
func (s *Server) Count(method, part string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Count(s.calls, method, part)
}

// Count returns how many of the recorded requests have a method, or any if that is empty, and a
// path that contains part.
func Count(calls []string, method, part string) int {
	n := 0
	for _, c := range calls {
		if (method == "" || strings.HasPrefix(c, method+" ")) && strings.Contains(c, part) {
			n++
		}
	}
	return n
}

// Reset returns the recorded requests and the bytes of blobs that were sent, and forgets them.
func (s *Server) Reset() (calls []string, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls, sent = s.calls, s.sent
	s.calls, s.sent = nil, 0
	return calls, sent
}
