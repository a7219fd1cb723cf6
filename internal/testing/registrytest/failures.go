package registrytest

import (
	"hash/crc32"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// Impatient are options of a client that gives up soon.
var Impatient = network.Options{
	Wait: time.Millisecond, Idle: 150 * time.Millisecond, GiveUp: 300 * time.Millisecond,
	Document: 300 * time.Millisecond, Attempts: 2, Jobs: 4,
}

// failures are what a registry, a proxy or the network answers in place of an answer.
var failures = map[string]func(*Server, http.ResponseWriter, *http.Request){
	"403":    status(http.StatusForbidden),
	"404":    func(_ *Server, w http.ResponseWriter, _ *http.Request) { Lacks(w) },
	"429":    status(http.StatusTooManyRequests),
	"500":    status(http.StatusInternalServerError),
	"503":    status(http.StatusServiceUnavailable),
	"breaks": breakOff,
	"drips":  drip,
	"proxy":  proxy,
}

func status(code int) func(*Server, http.ResponseWriter, *http.Request) {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Lacks answers as a registry that does not have the requested object.
func Lacks(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	w.Write([]byte(`{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`)) //nolint:errcheck // the client is gone then
}

// breakOff closes the connection without an answer.
func breakOff(_ *Server, w http.ResponseWriter, _ *http.Request) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			c.Close()
		}
	}
}

// proxy answers in the place of a registry: a page that is not found, or an error with status 200.
func proxy(_ *Server, w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodGet || crc32.ChecksumIEEE([]byte(q.URL.Path))%2 == 0 {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write([]byte(`{"errors":[{"code":"MANIFEST_UNKNOWN"}]}` + strings.Repeat(" ", 1000))) //nolint:errcheck // the client is gone then
}

// drip begins an answer that does not end. One that has no body does not begin.
func drip(s *Server, w http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodHead {
		s.Hang(q)
		return
	}
	w.Header().Set("Content-Length", "1000000")
	w.WriteHeader(http.StatusOK)
	for s.Wait(q, 20*time.Millisecond) {
		if _, err := w.Write([]byte{' '}); err != nil {
			return
		}
		http.NewResponseController(w).Flush() //nolint:errcheck // the client is gone then
	}
}

// EachFailure runs a command again and again, against a new registry each time. prepare fills the
// registry, and returns the command. In each run one of the requests that the command makes without
// a failure is answered with a failure, as often as it is made. Every tag of the registry has to
// name what it named or what a run without a failure leaves, an image that is there as a whole; a
// run that succeeds has to leave what the one without a failure leaves; and an error has to be one of
// the registry ([outcome.Failed]). The failure 404 is an answer: only what tags name has to be there.
func EachFailure(t *testing.T, prepare func(*testing.T, *Server) (run func() error)) {
	t.Helper()
	extent.Plain(t)
	s := Serve(t)
	run := prepare(t, s)
	s.Reset()
	if err := run(); err != nil {
		t.Fatalf("without a failure: %v", err)
	}
	calls, _ := s.Reset()
	whole := s.Tags(t)
	var requests []string
	for _, c := range calls {
		c, _, _ = strings.Cut(c, "?")
		if c = s.plain(c); !slices.Contains(requests, c) {
			requests = append(requests, c)
		}
	}
	if len(requests) < 2 {
		t.Fatalf("the command makes %d requests", len(requests))
	}
	var all []*failing
	for _, request := range requests {
		for _, name := range slices.Sorted(maps.Keys(failures)) {
			all = append(all, &failing{request: request, failure: name, whole: whole})
		}
	}
	all = extent.Some(all, len(failures)+1)   // each request, one failure after another
	for some := range slices.Chunk(all, 48) { // they wait more than they work
		var g sync.WaitGroup
		for _, f := range some {
			f.s = Serve(t)
			run := prepare(t, f.s)
			f.before = f.s.Tags(t)
			f.s.Disturb(f.disturb)
			g.Go(func() { f.err = run() })
		}
		g.Wait()
		for _, f := range some {
			f.s.Disturb(nil)
			f.after = f.s.Tags(t)
			t.Run(strings.ReplaceAll(f.failure+" "+f.request, "/", "|"), func(t *testing.T) {
				f.judge(t)
			})
			f.s.end() // first: Close waits for requests
			f.s.Close()
		}
	}
}

// failing is a run in which a request fails.
type failing struct {
	s       *Server
	request string // the method and the path
	failure string // 403, breaks
	err     error  // what the run returned
	// before and after are the tags of the registry with their digests; whole is what a run without
	// a failure leaves
	before, after, whole map[string]string
}

// disturb answers the request with the failure.
func (f *failing) disturb(w http.ResponseWriter, q *http.Request) bool {
	if f.s.plain(q.Method+" "+q.URL.Path) != f.request {
		return false
	}
	failures[f.failure](f.s, w, q)
	return true
}

// judge checks what a run has left.
func (f *failing) judge(t *testing.T) {
	t.Helper()
	f.s.complete(t)
	if f.failure == "404" {
		return
	}
	switch {
	case f.err == nil && !maps.Equal(f.after, f.whole):
		t.Errorf("it succeeds, and leaves %v, not %v", f.after, f.whole)
	case f.err != nil && !outcome.Failed(f.err):
		t.Errorf("the failure of the registry is %v", f.err)
	}
	for tag := range f.before {
		if f.after[tag] == "" {
			t.Errorf("%s is gone", tag)
		}
	}
	for tag, digest := range f.after {
		list := strings.Contains(tag, ":sha256-") // of referrers, which grows
		if !list && digest != f.before[tag] && digest != f.whole[tag] {
			t.Errorf("%s is %s: neither what it was, nor what a run without a failure leaves", tag, digest)
		}
	}
}

// plain returns a request without the part that differs in each registry: sessions of uploads.
func (s *Server) plain(request string) string {
	if before, _, ok := strings.Cut(request, "/blobs/uploads/"); ok {
		return before + "/blobs/uploads/"
	}
	return request
}

// Tags returns the tags of all repositories, with the digests that they name.
func (s *Server) Tags(tb testing.TB) map[string]string {
	tb.Helper()
	all := map[string]string{}
	for _, tag := range s.tags(tb) {
		d, err := remote.Head(tag)
		must(tb, err)
		all[strings.TrimPrefix(tag.Name(), s.Host()+"/")] = d.Digest.String()
	}
	return all
}

func (s *Server) tags(tb testing.TB) (all []name.Tag) {
	tb.Helper()
	reg, err := name.NewRegistry(s.Host())
	must(tb, err)
	repos, err := remote.Catalog(tb.Context(), reg)
	must(tb, err)
	for _, path := range repos {
		repo := reg.Repo(path)
		tags, err := remote.List(repo)
		must(tb, err)
		for _, tag := range tags {
			all = append(all, repo.Tag(tag))
		}
	}
	return all
}

// complete checks that everything is there that tags name.
func (s *Server) complete(tb testing.TB) {
	tb.Helper()
	for _, tag := range s.tags(tb) {
		d, err := remote.Get(tag)
		must(tb, err)
		if !d.MediaType.IsIndex() {
			continue
		}
		i, err := d.ImageIndex()
		must(tb, err)
		m, err := i.IndexManifest()
		must(tb, err)
		for _, c := range m.Manifests {
			if _, err := remote.Head(tag.Digest(c.Digest.String())); err != nil {
				tb.Errorf("%s lists %s: %v", tag, c.Digest, err)
			}
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
