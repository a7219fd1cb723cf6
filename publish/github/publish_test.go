package github_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
)

func TestPublish(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		latest  string // the tag of the latest release so far
		setUp   func(*githubtest.Server)
		// what the release becomes
		prerelease bool
		makeLatest string
	}{
		"first":       {version: "1.0.0", makeLatest: "true"},
		"later":       {version: "1.0.0", latest: "v0.9.1", makeLatest: "true"},
		"correction":  {version: "1.0.0", latest: "v1.1.0", makeLatest: "false"},
		"other names": {version: "1.0.0", latest: "nightly", makeLatest: "true"},
		"prerelease":  {version: "1.0.0-rc.1", prerelease: true, makeLatest: "false"},
		"pages":       {version: "1.0.0", makeLatest: "true", setUp: func(s *githubtest.Server) { s.Page = 2 }},
		"no digests": {version: "1.0.0", makeLatest: "true", setUp: func(s *githubtest.Server) {
			s.WithoutDigests = true
		}},
		"annotated tag": {version: "1.0.0", makeLatest: "true", setUp: func(s *githubtest.Server) {
			s.Refs["v1.0.0"], s.Objects["aaaa"] = "tag aaaa", "commit bbbb"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := githubtest.Serve(t)
			s.Immutable = true
			if c.setUp != nil {
				c.setUp(s)
			}
			d := read(t, dist(t, c.version))
			var older *githubtest.Release
			if c.latest != "" {
				older = s.Add(&githubtest.Release{Tag: c.latest, Latest: "true"})
			}
			for range 7 { // further pages
				s.Add(&githubtest.Release{Tag: "other", Draft: true})
			}
			p, err := hub(t, s, 1).Publish(t.Context(), d, options())
			if err != nil {
				t.Fatal(err)
			}
			if p.State != "published" || p.Latest != (c.makeLatest == "true") || p.Prerelease != c.prerelease ||
				p.Bytes < 300000 {
				t.Errorf("published: %+v", p)
			}
			s.Releases = slices.DeleteFunc(s.Releases, func(r *githubtest.Release) bool {
				return r == older || r.Tag == "other"
			})
			complete(t, s, d)
			if r := s.Releases[0]; r.Prerelease != c.prerelease || r.Latest != c.makeLatest {
				t.Errorf("prerelease %v, latest %s", r.Prerelease, r.Latest)
			}

			// Once more: nothing is sent or changed.
			s.Calls()
			if p, err = hub(t, s, 1).Publish(t.Context(), d, options()); err != nil || p.State != "existed" ||
				p.Bytes != 0 {
				t.Errorf("again: %+v, %v", p, err)
			}
			for _, call := range s.Calls() {
				if !strings.HasPrefix(call, "GET ") {
					t.Errorf("again: %s", call)
				}
			}
			complete(t, s, d)
		})
	}
}

// TestResigned publishes a release again whose checksums another machine signed: it is there.
func TestResigned(t *testing.T) {
	s := githubtest.Serve(t)
	d := read(t, dist(t, "1.0.0"))
	if _, err := hub(t, s, 1).Publish(t.Context(), d, options()); err != nil {
		t.Fatal(err)
	}
	again := dist(t, "1.0.0")
	if err := os.WriteFile(filepath.Join(again, evidence.SumsSignature), []byte("of other bytes"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := hub(t, s, 1).Publish(t.Context(), read(t, again), options())
	if err != nil || p.State != "existed" || !slices.Equal(p.Resigned, []string{evidence.SumsSignature}) {
		t.Errorf("%+v, %v", p, err)
	}
	complete(t, s, d)
}

// TestDraft leaves a draft, which a later run publishes. What people wrote into it stays.
func TestDraft(t *testing.T) {
	s := githubtest.Serve(t)
	d := read(t, dist(t, "1.0.0"))
	s.Add(&githubtest.Release{Tag: "v1.0.0", Draft: true, Body: "Hello.\r\n", Assets: []*githubtest.Asset{
		{Name: "extra.pdf", Bytes: []byte("x")},
		{Name: "slipway", Bytes: []byte("\x7fEL"), State: "starter"},
	}})
	o := options()
	o.Draft = true
	p, err := hub(t, s, 1).Publish(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Releases[0]
	if p.State != "draft" || !r.Draft || len(r.Assets) != len(assets)+1 ||
		!slices.Equal(p.Others, []string{"extra.pdf"}) {
		t.Errorf("draft: %+v", p)
	}
	if want := "Hello.\n\n<!-- slipway " + d.Mark() + " -->\nnotes\n"; r.Body != want {
		t.Errorf("the notes are %q, want %q", r.Body, want)
	}
	o.Draft, o.Notes = false, "other notes\n"
	s.Calls()
	if p, err = hub(t, s, 1).Publish(t.Context(), d, o); err != nil || p.State != "published" || p.Bytes != 0 {
		t.Errorf("published: %+v, %v", p, err)
	}
	if want := "Hello.\n\n<!-- slipway " + d.Mark() + " -->\nother notes\n"; r.Body != want {
		t.Errorf("the notes are %q, want %q", r.Body, want)
	}
}

// TestKilledAtEachRequest stops a run at each of its requests, before and after the request has
// its effect: after the next run everything is there once.
func TestKilledAtEachRequest(t *testing.T) {
	for _, after := range []bool{false, true} {
		n := 0
		for stopped := true; stopped; n++ {
			s := githubtest.Serve(t)
			s.Immutable, s.Page = true, 3
			d := read(t, dist(t, "1.0.0"))
			var count atomic.Int32
			s.Disturb(func(w http.ResponseWriter, q *http.Request, inner http.Handler) bool {
				at := int(count.Add(1)) // net/http itself repeats some requests
				if at <= n {
					return false
				}
				if after && at == n+1 {
					inner.ServeHTTP(&nowhere{header: http.Header{}}, q)
				}
				githubtest.Cut(w)
				return true
			})
			_, err := hub(t, s, 1).Publish(t.Context(), d, options())
			if stopped = int(count.Load()) > n; stopped && err == nil {
				t.Errorf("request %d was lost, and nothing is wrong", n+1)
			}
			s.Disturb(nil)
			if _, err := hub(t, s, 1).Publish(t.Context(), d, options()); err != nil {
				t.Errorf("request %d, after it %v: the next run: %v", n+1, after, err)
			}
			complete(t, s, d)
			s.Close()
		}
		if n < 15 {
			t.Errorf("only %d requests were made", n)
		}
	}
}

// nowhere takes an answer that is never read.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(int)             {}

// TestTrouble lets each request go wrong once: one run gets through.
func TestTrouble(t *testing.T) {
	status := func(status int, header ...string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, q *http.Request, _ http.Handler) {
			io.Copy(io.Discard, q.Body) //nolint:errcheck // else the server waits for it
			for n := 0; n < len(header); n += 2 {
				w.Header().Set(header[n], header[n+1])
			}
			w.WriteHeader(status)
			w.Write([]byte(`{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`)) //nolint:errcheck // a test's answer
		}
	}
	for name, trouble := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
		"500": status(500), "502": status(502), "503": status(503), "504": status(504),
		"retry after": status(429, "Retry-After", "0"), "secondary": status(403),
		"primary": status(403, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset",
			strconv.FormatInt(time.Now().Unix(), 10)),
		"cut": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { githubtest.Cut(w) },
		"done and cut": func(w http.ResponseWriter, q *http.Request, inner http.Handler) {
			inner.ServeHTTP(&nowhere{header: http.Header{}}, q)
			githubtest.Cut(w)
		},
		"done and 502": func(w http.ResponseWriter, q *http.Request, inner http.Handler) {
			inner.ServeHTTP(&nowhere{header: http.Header{}}, q)
			w.WriteHeader(http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := githubtest.Serve(t)
			s.Immutable = true
			d := read(t, dist(t, "1.0.0"))
			seen := map[string]bool{}
			s.Disturb(func(w http.ResponseWriter, q *http.Request, inner http.Handler) bool {
				key := q.Method + q.URL.String()
				if seen[key] {
					return false
				}
				seen[key] = true
				trouble(w, q, inner)
				return true
			})
			o := options()
			if _, err := hub(t, s, 6).Publish(t.Context(), d, o); err != nil {
				t.Fatal(err)
			}
			complete(t, s, d)
		})
	}
}

// TestBrokenUpload leaves a starter of each file first, as GitHub does if an upload breaks off.
func TestBrokenUpload(t *testing.T) {
	s := githubtest.Serve(t)
	d := read(t, dist(t, "1.0.0"))
	seen := map[string]bool{}
	s.Disturb(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
		name := q.URL.Query().Get("name")
		if q.Method != http.MethodPost || name == "" || seen[name] {
			return false
		}
		seen[name] = true
		io.Copy(io.Discard, q.Body) //nolint:errcheck // else the server waits for it
		s.Releases[0].Assets = append(s.Releases[0].Assets,
			&githubtest.Asset{ID: int64(1000 + len(seen)), Name: name, State: "starter"})
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	if _, err := hub(t, s, 3).Publish(t.Context(), d, options()); err != nil {
		t.Fatal(err)
	}
	complete(t, s, d)
	if len(seen) != len(assets) {
		t.Errorf("%d uploads broke off", len(seen))
	}
}
