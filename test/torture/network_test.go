//go:build linux && amd64

package torture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"time"
)

// trouble is a way in which a registry, or a proxy before it, does not answer as it should.
type trouble struct {
	name string
	// passes marks what a client has to get over when it happens once.
	passes bool
	// hits selects the requests that it is about; nil is all.
	hits   func(r *http.Request) bool
	answer func(w http.ResponseWriter, r *http.Request, registry http.Handler)
}

var troubles = []trouble{
	{"reset", true, nil, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { reset(w, "") }},
	{"reset-in-header", true, nil, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		reset(w, "HTTP/1.1 200 OK\r\nContent-Le")
	}},
	{"reset-in-body", true, reads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		partly(w, ask(h, r), true)
	}},
	{"reset-in-upload", true, uploads, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.CopyN(io.Discard, r.Body, r.ContentLength/2) //nolint:errcheck // it is dropped in any case
		reset(w, "")
	}},
	{"short-body", true, reads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		partly(w, ask(h, r), false)
	}},
	{"500", true, nil, status(500)},
	{"502", true, nil, status(502)},
	{"503", true, nil, status(503)},
	{"504", true, nil, status(504)},
	{"408", true, nil, status(408)},
	{"429", true, nil, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		w.Header().Set("Retry-After", "1")
		status(429)(w, r, h)
	}},
	{"trickle", true, reads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		a := ask(h, r)
		head(w, a)
		for part := range chunks(a.Body.Bytes(), 10) {
			w.Write(part) //nolint:errcheck // the client may have gone
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	}},
	{"401", false, nil, status(401)},
	{"403", false, nil, status(403)},
	{"404", false, nil, status(404)},
	{"portal", false, nil, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>Welcome to our hotel</title></html>")
	}},
	{"not-stored", false, manifests, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // it is not stored
		w.WriteHeader(http.StatusCreated)
	}},
	{
		"pretends", false, func(r *http.Request) bool {
			return r.Method == http.MethodHead && strings.Contains(r.URL.Path, "/blobs/")
		},
		func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.Header().Set("Content-Length", "1") },
	},
	{"wrong-bytes", false, reads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		a := ask(h, r)
		head(w, a)
		b := bytes.Clone(a.Body.Bytes())
		if len(b) > 0 {
			b[len(b)/2] ^= 1
		}
		w.Write(b) //nolint:errcheck // the client may have gone
	}},
	{"loop", false, nil, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.Header().Set("Location", "http://"+r.Host+r.URL.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	}},
	{"two-locations", false, func(r *http.Request) bool {
		return r.Method == http.MethodPost
	}, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		a := ask(h, r)
		for _, l := range a.Header().Values("Location") {
			a.Header().Add("Location", l)
		}
		head(w, a)
	}},
	{"gzipped", true, reads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		a := ask(h, r)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(a.Body.Bytes()) //nolint:errcheck // to memory
		z.Close()               //nolint:errcheck // to memory
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			a.Header().Set("Content-Encoding", "gzip")
			a.Header().Set("Content-Length", fmt.Sprint(b.Len()))
			a.Body = &b
		}
		head(w, a)
		w.Write(a.Body.Bytes()) //nolint:errcheck // the client may have gone
	}},
}

// reads are requests for a manifest or a blob.
func reads(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		(strings.Contains(r.URL.Path, "/manifests/") || strings.Contains(r.URL.Path, "/blobs/"))
}

func manifests(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/")
}

func uploads(r *http.Request) bool {
	return r.ContentLength != 0 && (r.Method == http.MethodPatch || r.Method == http.MethodPut)
}

func status(code int) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(code) }
}

// ask is what the registry answers.
func ask(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	a := httptest.NewRecorder()
	h.ServeHTTP(a, r)
	return a
}

func head(w http.ResponseWriter, a *httptest.ResponseRecorder) {
	for name, values := range a.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(a.Code)
}

// reset writes some bytes and drops the connection.
func reset(w http.ResponseWriter, bytes string) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	io.WriteString(c, bytes)                                     //nolint:errcheck // the client may have gone
	c.(*net.TCPConn).SetLinger(0)                                //nolint:errcheck // then it ends in another way
	time.Sleep(time.Duration(len(bytes)) * time.Millisecond / 4) // a reset overtakes what was sent
	c.Close()
}

// partly answers with the head of an answer and half of its body.
func partly(w http.ResponseWriter, a *httptest.ResponseRecorder, hard bool) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\n", a.Code, http.StatusText(a.Code))
	a.Header().Set("Content-Length", fmt.Sprint(a.Body.Len()))
	a.Header().Write(c) //nolint:errcheck // the client may have gone
	fmt.Fprint(c, "\r\n")
	c.Write(a.Body.Bytes()[:a.Body.Len()/2]) //nolint:errcheck // as above
	if hard {
		time.Sleep(10 * time.Millisecond) // a reset overtakes what was sent
		c.(*net.TCPConn).SetLinger(0)     //nolint:errcheck // then it ends in another way
	}
}

func chunks(b []byte, n int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i := range n {
			if !yield(b[i*len(b)/n : (i+1)*len(b)/n]) {
				return
			}
		}
	}
}

// networks are all troubles for every command that talks to a registry, once and for ever, from a
// random request on.
func networks() (cases []fault) {
	for _, s := range scenarios {
		if s.registry == "" || s.registry == secure {
			continue
		}
		requests := surveyed[s].requests
		if requests == 0 {
			continue
		}
		for _, tr := range troubles {
			if tr.name == "pretends" && s.registry != debian {
				// a registry that checks no manifest cannot be distinguished from one that has
				// the blobs
				continue
			}
			for _, mode := range []string{"once", "once-more", "always"} {
				cases = append(cases, troubled("network", s, tr, mode, requests))
			}
		}
		cases = append(cases, refusals(s)...)
		for _, method := range []string{
			"", http.MethodHead, http.MethodGet, http.MethodPost, http.MethodPatch,
			http.MethodPut,
		} {
			cases = append(cases, stall(s, method))
		}
	}
	return cases
}

// troubled is a case in which a registry is in trouble once or for ever, from a random one of so
// many requests on.
func troubled(kind string, s *scenario, tr trouble, mode string, requests int) fault {
	return fault{
		kind: kind, name: s.name + "/" + tr.name + "-" + mode, scenario: s, heals: mode != "always" && tr.passes,
		strike: func(w *worker, r *rand.Rand) outcome {
			from := 1 + r.IntN(requests)
			done := false
			w.proxy.disturb(func(a http.ResponseWriter, q *http.Request, n int, registry http.Handler) bool {
				if n < from || tr.hits != nil && !tr.hits(q) {
					return false
				}
				w.proxy.mu.Lock()
				skip := mode != "always" && done
				done = true
				w.proxy.mu.Unlock()
				if !skip {
					tr.answer(a, q, registry)
				}
				return !skip
			})
			return w.run(s.command)
		},
	}
}

// refusals are registries that cannot be reached, for a moment and at all. A port without a
// listener is more often a mistake than a registry that starts, so a command may fail at once.
func refusals(s *scenario) []fault {
	return []fault{
		{kind: "network", name: s.name + "/refused-once", scenario: s, strike: func(w *worker, _ *rand.Rand) outcome {
			w.proxy.refuse()
			p := w.begin(s.command, nil)
			time.Sleep(w.ready[s].took + 200*time.Millisecond)
			w.must(w.proxy.open())
			return p.wait()
		}},
		{kind: "network", name: s.name + "/refused-always", scenario: s, strike: func(w *worker, _ *rand.Rand) outcome {
			w.proxy.refuse()
			return w.run(s.command)
		}},
	}
}

// stall is a registry that never answers requests of a method, or the very first one. The user
// waits for a while and then interrupts the command.
func stall(s *scenario, method string) fault {
	return fault{
		kind: "network", name: s.name + "/stall-" + method, scenario: s,
		strike: func(w *worker, _ *rand.Rand) outcome {
			over := make(chan struct{})
			defer close(over)
			reached := make(chan struct{}, 1)
			w.proxy.disturb(func(_ http.ResponseWriter, r *http.Request, _ int, _ http.Handler) bool {
				if method != "" && r.Method != method {
					return false
				}
				select {
				case reached <- struct{}{}:
				default:
				}
				select {
				case <-over:
				case <-r.Context().Done():
				}
				return true
			})
			p := w.begin(s.command, nil)
			select {
			case <-reached:
				p.tell(syscall.SIGTERM)
			case ws := <-p.status: // it has no such request
				p.status <- ws
			}
			return p.wait()
		},
	}
}
