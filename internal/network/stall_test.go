package network_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// stalls are requests at which a server goes quiet, each in its way.
var stalls = map[string]struct {
	at   func(*http.Request) bool
	then func(*registrytest.Server, http.ResponseWriter, *http.Request)
}{
	"ping":  {func(q *http.Request) bool { return q.URL.Path == "/v2/" }, silent},
	"token": {func(q *http.Request) bool { return q.URL.Path == "/token" }, silent},
	"HEAD":  {func(q *http.Request) bool { return q.Method == http.MethodHead }, silent},
	"POST":  {func(q *http.Request) bool { return q.Method == http.MethodPost }, silent},
	"PATCH": {func(q *http.Request) bool { return q.Method == http.MethodPatch }, silent},
	"PATCH, taken byte by byte": {func(q *http.Request) bool {
		return q.Method == http.MethodPatch
	}, func(s *registrytest.Server, _ http.ResponseWriter, q *http.Request) {
		buf := make([]byte, 1)
		for s.Wait(q, 20*time.Millisecond) {
			q.Body.Read(buf) //nolint:errcheck // the client goes away
		}
	}},
	"PUT of a blob":     {func(q *http.Request) bool { return q.Method == http.MethodPut && !manifest(q) }, silent},
	"PUT of a manifest": {func(q *http.Request) bool { return q.Method == http.MethodPut && manifest(q) }, silent},
	"GET of a manifest": {func(q *http.Request) bool { return q.Method == http.MethodGet && manifest(q) }, silent},
	"GET of a blob":     {isBlob, silent},
	"body of a blob": {isBlob, func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Write(content(s, q)[:10]) //nolint:errcheck // the client goes away
		w.(http.Flusher).Flush()
		s.Hang(q)
	}},
	"body of a blob, byte by byte": {isBlob, func(s *registrytest.Server, w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Length", "100000")
		for _, b := range content(s, q) {
			if !s.Wait(q, 20*time.Millisecond) {
				return
			}
			w.Write([]byte{b}) //nolint:errcheck // the client goes away
			w.(http.Flusher).Flush()
		}
	}},
}

// content returns the bytes that the registry would have sent.
func content(s *registrytest.Server, q *http.Request) []byte {
	full := httptest.NewRecorder()
	s.Inner.ServeHTTP(full, q)
	return full.Body.Bytes()
}

func silent(s *registrytest.Server, _ http.ResponseWriter, q *http.Request) { s.Hang(q) }

func manifest(q *http.Request) bool { return strings.Contains(q.URL.Path, "/manifests/") }

func isBlob(q *http.Request) bool {
	return q.Method == http.MethodGet && strings.Contains(q.URL.Path, "/blobs/sha256:")
}

// TestStall goes quiet once at each kind of request: that counts as a dropped connection, and the
// next attempt succeeds. Where the server stays quiet, it is given up, however many attempts there
// may be.
func TestStall(t *testing.T) {
	for what, stall := range stalls {
		for _, always := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, always %v", what, always), func(t *testing.T) {
				t.Parallel()
				s := registrytest.Serve(t)
				var met atomic.Int32
				s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
					if stall.at(q) && (met.Add(1) == 1 || always) {
						stall.then(s, w, q)
						return true
					}
					return what == "token" && ask(s, w, q)
				})
				size := int64(1000)
				if always && what == "PATCH, taken byte by byte" {
					size = 4 << 20 // more than a piece
				}
				o := options()
				var err error
				// On a busy machine, an earlier request may take longer than GiveUp.
				for ; met.Load() == 0 && o.Idle < time.Minute; o.Idle *= 4 {
					if always {
						o.Attempts, o.GiveUp = 1_000_000, 2*o.Idle
					}
					err = roundTrip(t, network.New(o), s, size)
				}
				if met.Load() == 0 {
					t.Fatal("no request went to where the server goes quiet")
				}
				host := strings.TrimPrefix(s.URL, "http://")
				switch {
				case !always && err != nil:
					t.Error(err)
				case always && (err == nil || !strings.Contains(err.Error(), host+" has completed no request")):
					t.Errorf("the server never answers, and the error is %v", err)
				}
			})
		}
	}
}

// ask wants a token, which /token gives.
func ask(s *registrytest.Server, w http.ResponseWriter, q *http.Request) bool {
	switch {
	case q.URL.Path == "/token":
		fmt.Fprint(w, `{"token":"abcdefgh"}`)
		return true
	case q.Header.Get("Authorization") != "Bearer abcdefgh":
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+`/token",service="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	return false
}

// roundTrip pushes an image and reads it back.
func roundTrip(t *testing.T, c *network.Client, s *registrytest.Server, size int64) error {
	t.Helper()
	img, tag := image(t, size), s.Repo(t, "team/app").Tag("1")
	if err := push(t, c, tag, img); err != nil {
		return err
	}
	if _, err := c.Head(t.Context(), tag); err != nil {
		return err
	}
	if _, err := c.Get(t.Context(), tag); err != nil {
		return err
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	return readBlob(t, c, tag.Context(), m.Layers[0])
}

func readBlob(t *testing.T, c *network.Client, repo name.Repository, d v1.Descriptor) error {
	t.Helper()
	r, err := c.Blob(t.Context(), repo, d)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if err == nil && n != d.Size {
		t.Errorf("%d bytes of %d were read", n, d.Size)
	}
	return err
}

// TestNotStalled lets the other end of a body take longer than a server may be quiet: that is a
// slow disk, not a slow server.
func TestNotStalled(t *testing.T) {
	t.Parallel()
	s := registrytest.Serve(t)
	o := options()
	c, repo := network.New(o), s.Repo(t, "team/app")
	img := image(t, 1000)
	if err := push(t, c, repo.Tag("1"), img); err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Blob(t.Context(), repo, m.Layers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for err == nil {
		if _, err = r.Read(make([]byte, 500)); err == nil {
			<-time.After(o.Idle)
		}
	}
	if n := s.Count("GET", "/blobs/"); err != io.EOF || n != 1 { //nolint:errorlint // of a reader
		t.Errorf("%d attempts: %v", n, err)
	}
}
