package publish_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
)

// TestRetry makes every kind of request fail at first: each path and method once.
func TestRetry(t *testing.T) {
	for name, fail := range map[string]func(http.ResponseWriter){
		"429":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"503":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"drop": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"reset": func(w http.ResponseWriter) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			c.(*net.TCPConn).SetLinger(0) //nolint:errcheck // a test's own connection
			c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, st, l := cut(t, 3000)
			s := registrytest.Serve(t)
			p.Registry = s.Host()
			var mu sync.Mutex
			seen := map[string]bool{}
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				key := q.Method + " " + q.URL.Path
				if strings.Contains(q.URL.Path, "/blobs/uploads/") {
					key = q.Method // every session has another path
				}
				mu.Lock()
				again := seen[key]
				seen[key] = true
				mu.Unlock()
				if !again {
					fail(w)
				}
				return !again
			})
			out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
			if err != nil {
				t.Fatal(err)
			}
			s.Disturb(nil)
			registrytest.Validate(t, out)
			mu.Lock()
			defer mu.Unlock()
			for _, method := range []string{"POST", "PATCH", "PUT"} {
				if !seen[method] {
					t.Errorf("no %s was made to fail", method)
				}
			}
		})
	}
}

// TestConnectionClosed breaks an upload off in the way that net/http has when it finds out while
// it writes the body.
func TestConnectionClosed(t *testing.T) {
	p, st, l := cut(t, 3000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	o := quick
	var broken atomic.Bool
	o.Transport = roundTrip(func(q *http.Request) (*http.Response, error) {
		if q.Method == http.MethodPatch && !broken.Swap(true) {
			return nil, &net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}
		}
		return http.DefaultTransport.RoundTrip(q)
	})
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Validate(t, out)
}

// TestUploadBreaksOff lets bytes arrive and the answer get lost: to send them again into the same
// session would double them.
func TestUploadBreaksOff(t *testing.T) {
	p, st, l := cut(t, 3000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	var mu sync.Mutex
	broken := map[string]int{}
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if q.Method != http.MethodPatch {
			return false
		}
		if broken[q.URL.Path]++; broken[q.URL.Path] > 1 {
			t.Errorf("bytes were sent again to %s", q.URL.Path)
		}
		if len(broken) > 3 {
			return false
		}
		s.Inner.ServeHTTP(httptest.NewRecorder(), q)
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Validate(t, out)
}

func TestRetryEnds(t *testing.T) {
	p, st, l := cut(t, 1000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPost {
			return false
		}
		http.Error(w, "the disk is full", http.StatusInsufficientStorage)
		return true
	})
	o := quick
	o.Jobs, o.Attempts = 1, 3
	_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("the error does not say what the registry said: %v", err)
	}
	if n := s.Count("POST", ""); n != 3 {
		t.Errorf("%d attempts, want 3", n)
	}
}

func TestRetryAfter(t *testing.T) {
	p, st, l := cut(t, 1000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	var mu sync.Mutex
	var told time.Time
	early := 0
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if q.Method == http.MethodPatch && told.IsZero() {
			told = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		if !told.IsZero() && time.Since(told) < time.Second {
			early++
		}
		return false
	})
	o := quick
	o.Jobs = 1 // no request is under way together with the one that is turned away
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if told.IsZero() || early > 0 {
		t.Errorf("%d requests came before the second that the registry asked for was over", early)
	}
}

func TestRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   []string
	}{
		"denied": {
			http.StatusForbidden, `{"errors":[{"code":"DENIED","message":"no push for you"}]}`,
			[]string{"no push for you", "docker login"},
		},
		"unauthorized": {
			http.StatusUnauthorized, `{"errors":[{"code":"UNAUTHORIZED","message":"who are you"}]}`,
			[]string{"who are you", "docker login"},
		},
		"not retried": {
			http.StatusBadRequest, `{"errors":[{"code":"NAME_INVALID","message":"bad name"}]}`,
			[]string{"bad name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, st, l := cut(t, 1000)
			s := registrytest.Serve(t)
			p.Registry = s.Host()
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if q.Method != http.MethodPost {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				w.Write([]byte(tt.body)) //nolint:errcheck // the client of this very test
				return true
			})
			o := quick
			o.Jobs = 1
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
			for _, w := range append(tt.want, "pushing blob sha256:") {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("the error does not say %q: %v", w, err)
				}
			}
			if n := s.Count("POST", ""); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

func TestPlainHTTP(t *testing.T) {
	p, st, l := cut(t, 1000)
	o := quick
	p.Registry = "10.1.2.3:5000"
	o.Transport = roundTrip(func(q *http.Request) (*http.Response, error) {
		if q.URL.Scheme == "http" {
			t.Errorf("plain HTTP was spoken with %s", q.URL.Host)
		}
		return nil, http.ErrSchemeMismatch // as of a registry that speaks HTTP alone
	})
	_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
	if err == nil || !strings.Contains(err.Error(), "loopback addresses only") {
		t.Errorf("got %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }
