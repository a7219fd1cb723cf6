package network_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// misconduct is how a registry keeps a client waiting, at each request that at chooses.
type misconduct struct {
	at    func(*http.Request) bool
	then  func(*registrytest.Server, http.ResponseWriter, *http.Request)
	size  int64         // of the layer that is pushed; 0 is 1000
	limit time.Duration // 0 is two minutes
	says  string        // "" is that the host was given up
}

func method(m string) func(*http.Request) bool {
	return func(q *http.Request) bool { return q.Method == m }
}

func upload(q *http.Request) bool { return q.Method == http.MethodPatch }

func closing(q *http.Request) bool { return q.Method == http.MethodPut && !manifest(q) }

// answers takes all of a body and then answers after d.
func answers(status int,
	after time.Duration, header ...string,
) func(*registrytest.Server, http.ResponseWriter, *http.Request) {
	return func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
		io.Copy(io.Discard, q.Body) //nolint:errcheck // the client goes away
		if s.Wait(q, after) {
			if len(header) == 2 {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(status)
		}
	}
}

// begins sends the header of a body of a hundred thousand bytes, and then its bytes one by one.
func begins(every time.Duration) func(*registrytest.Server, http.ResponseWriter, *http.Request) {
	return func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.WriteHeader(http.StatusOK)
		for w.(http.Flusher).Flush(); s.Wait(q, every); w.(http.Flusher).Flush() {
			w.Write([]byte{'{'}) //nolint:errcheck // the client goes away
		}
	}
}

// stops reads a part of a body, and no more.
func stops(s *registrytest.Server, _ http.ResponseWriter, q *http.Request) {
	io.CopyN(io.Discard, q.Body, 200_000) //nolint:errcheck // the client goes away
	s.Hang(q)
}

const year = 365 * 24 * time.Hour

var misconducts = map[string]misconduct{
	"ping":  {at: func(q *http.Request) bool { return q.URL.Path == "/v2/" }, then: silent},
	"token": {at: func(q *http.Request) bool { return q.URL.Path == "/token" }, then: silent},
	"token, in its body": {at: func(q *http.Request) bool {
		return q.URL.Path == "/token"
	}, then: begins(year)},
	"HEAD":                       {at: method(http.MethodHead), then: silent},
	"POST":                       {at: method(http.MethodPost), then: silent},
	"PATCH, in its midst":        {at: upload, then: stops, size: 4 << 20},
	"PATCH, never read":          {at: upload, then: silent, size: 4 << 20},
	"PATCH, after its last byte": {at: upload, then: answers(202, year), size: 2 << 20, limit: 5 * time.Minute},
	"PATCH of a small blob":      {at: upload, then: answers(202, year)},
	"PUT of a blob":              {at: closing, then: silent, limit: 5 * time.Minute},
	"PUT of a manifest": {at: func(q *http.Request) bool {
		return q.Method == http.MethodPut && manifest(q)
	}, then: answers(201, year)},
	"GET of a manifest": {at: func(q *http.Request) bool {
		return q.Method == http.MethodGet && manifest(q)
	}, then: silent},
	"GET of a manifest, its body": {at: func(q *http.Request) bool {
		return q.Method == http.MethodGet && manifest(q)
	}, then: begins(year)},
	"GET of a blob":               {at: isBlob, then: silent},
	"body of a blob":              {at: isBlob, then: begins(year), size: 100_000},
	"body of a blob, by drips":    {at: isBlob, then: begins(30 * time.Second), size: 100_000},
	"body of a blob, by the byte": {at: isBlob, then: begins(time.Second), size: 100_000},
	"PATCH, 500 after a minute": {
		at: upload, then: answers(500, 59*time.Second), size: 2 << 20,
		limit: 3 * time.Minute,
	},
	"HEAD, 504 after a minute": {
		at: method(http.MethodHead), then: answers(504, 59*time.Second),
		limit: 2 * time.Minute,
	},
	"HEAD, 500 at once":  {at: method(http.MethodHead), then: answers(500, 0), says: "500"},
	"POST, 503 at once":  {at: method(http.MethodPost), then: answers(503, 0), says: "503"},
	"PATCH, 500 at once": {at: upload, then: answers(500, 0), says: "500"},
	"POST, asks for a second": {
		at: method(http.MethodPost), then: answers(429, 0, "Retry-After", "1"),
		says: "429",
	},
	"POST, asks for four minutes": {
		at: method(http.MethodPost), then: answers(429, 0, "Retry-After", "240"),
		limit: 5 * time.Minute, says: "5m0s are waited for in all",
	},
	"POST, asks for 30 years": {
		at: method(http.MethodPost), then: answers(429, 0, "Retry-After", "1000000000"),
		limit: time.Second, says: "5m0s are waited for in all",
	},
	"POST, asks for ever": {at: method(http.MethodPost), then: answers(503, 0, "Retry-After",
		"99999999999999999999"), limit: time.Second, says: "5m0s are waited for in all"},
	"POST, asks for the year 9999": {at: method(http.MethodPost), then: answers(503, 0, "Retry-After",
		"Fri, 31 Dec 9999 23:59:59 GMT"), limit: time.Second, says: "5m0s are waited for in all"},
}

// TestGiveUp lets a registry keep a client waiting for ever, in each way, with the limits that
// users have: the client gives up in time, with one line that names the host.
func TestGiveUp(t *testing.T) {
	for what, m := range misconducts {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testGiveUp(t, what, m) })
		})
	}
}

func testGiveUp(t *testing.T, what string, m misconduct) {
	s, n := registrytest.Memory(t, "localhost:5000")
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if m.at(q) {
			m.then(s, w, q)
			return true
		}
		return strings.HasPrefix(what, "token") && ask(s, w, q)
	})
	var log bytes.Buffer
	pr := progress.New(&log)
	c := network.New(network.Options{Transport: n.Transport(t), Progress: pr})
	began := time.Now()
	err := network.Clean(roundTrip(t, c, s, max(m.size, 1000)))
	took := time.Since(began)
	pr.Close()
	if m.limit == 0 {
		m.limit = 2 * time.Minute
	}
	if m.says == "" {
		m.says = "it is given up: run again once it answers"
	}
	if took > m.limit+10*time.Second {
		t.Errorf("it took %v, of %v", took, m.limit)
	}
	if err == nil || !strings.Contains(err.Error(), m.says) || !strings.Contains(err.Error(), s.Host()) ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v, and not %q", err, m.says)
	}
	if took > 90*time.Second && !strings.Contains(log.String(), "waiting") &&
		!strings.Contains(log.String(), "trying again") && !strings.Contains(what, "after a minute") {
		t.Errorf("nothing was said about the wait:\n%s", log.String())
	}
}

// TestGiveUpConnections lets a registry accept connections and nothing else, or close each after
// a minute.
func TestGiveUpConnections(t *testing.T) {
	for what, then := range map[string]func(*testing.T, net.Conn){
		"silent": func(_ *testing.T, c net.Conn) { io.Copy(io.Discard, c) }, //nolint:errcheck // the client goes away
		"closed": func(_ *testing.T, c net.Conn) {
			time.AfterFunc(50*time.Second, func() { c.Close() })
			io.Copy(io.Discard, c) //nolint:errcheck // the client goes away
		},
		"drips": func(t *testing.T, c net.Conn) {
			c.Read(make([]byte, 1))   //nolint:errcheck // an answer before the request is another error
			go io.Copy(io.Discard, c) //nolint:errcheck // the client goes away
			drip := time.NewTicker(20 * time.Second)
			defer drip.Stop()
			for _, err := c.Write([]byte("HTTP/1.1 200 OK\r\nX: ")); err == nil; _, err = c.Write([]byte("y")) {
				select {
				case <-drip.C:
				case <-t.Context().Done():
					return
				}
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := registrytest.Memory(t, "localhost:5000")
				var well atomic.Bool
				n.Dialed = func(c net.Conn) {
					if well.Load() {
						n.Connect(c)
						return
					}
					go then(t, c)
				}
				c := network.New(network.Options{Transport: n.Transport(t)})
				began := time.Now()
				err := network.Clean(roundTrip(t, c, s, 1000))
				if took := time.Since(began); took > 2*time.Minute+10*time.Second || err == nil ||
					!strings.Contains(err.Error(), "it is given up: run again") {
					t.Errorf("after %v: %v", took, err)
				}
				again := time.Now()
				if err := roundTrip(t, c, s, 1000); err == nil || time.Since(again) > time.Second {
					t.Errorf("the host was given up, and the next request took %v: %v", time.Since(again), err)
				}
				well.Store(true)
				<-time.After(3 * time.Minute)
				if _, err := c.Head(t.Context(), s.Repo(t, "team/other").Tag("1")); outcome.Of(err) != outcome.Absent {
					t.Errorf("the host is well again: %v", err)
				}
			})
		})
	}
}

// TestPatient lets a registry be slow in ways that are right: nothing is given up.
func TestPatient(t *testing.T) {
	for what, m := range map[string]misconduct{
		"stalls once in each request": {},
		"answers uploads after four minutes": {
			at: upload, size: 2 << 20,
			then: func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
				body, err := io.ReadAll(q.Body)
				if err == nil && s.Wait(q, 4*time.Minute) {
					q.Body = io.NopCloser(bytes.NewReader(body))
					s.Inner.ServeHTTP(w, q)
				}
			},
		},
		"a thousand bytes a second": {
			at:   isBlob,
			size: 300_000, then: func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
				s.Inner.ServeHTTP(slow{w, s, q}, q)
			},
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := registrytest.Memory(t, "localhost:5000")
				var stalled sync.Map // requests that stalled, by kind
				s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
					switch {
					case m.at == nil:
						if closing(q) {
							return false
						}
						if _, again := stalled.LoadOrStore(fmt.Sprint(q.Method, manifest(q)), true); !again {
							s.Hang(q)
							return true
						}
					case m.at(q):
						m.then(s, w, q)
						return true
					}
					return false
				})
				c := network.New(network.Options{Transport: n.Transport(t)})
				if err := roundTrip(t, c, s, max(m.size, 1000)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// slow sends a thousand bytes a second.
type slow struct {
	http.ResponseWriter

	s *registrytest.Server
	q *http.Request
}

func (o slow) Write(p []byte) (n int, err error) {
	for len(p) > n && err == nil && o.s.Wait(o.q, time.Second) {
		_, err = o.ResponseWriter.Write(p[n:min(len(p), n+1000)])
		n = min(len(p), n+1000)
		o.ResponseWriter.(http.Flusher).Flush()
	}
	return n, err
}
