package network_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/slipway-dev/slipway/internal/network"
)

// TestMain keeps the credentials of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "docker-config")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"DOCKER_CONFIG", "HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		if err := os.Setenv(name, dir); err != nil {
			log.Fatal(err)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// server is a registry on a loopback port with a place to make trouble: see disturb.
type server struct {
	*httptest.Server
	inner   http.Handler
	closing chan struct{} // closed when the test ends: a handler that hangs waits for it

	mu      sync.Mutex
	trouble func(http.ResponseWriter, *http.Request) bool
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{inner: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0))), closing: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		close(s.closing)
		s.Close()
	})
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	trouble := s.trouble
	s.mu.Unlock()
	if trouble == nil || !trouble(w, q) {
		s.inner.ServeHTTP(w, q)
	}
}

// disturb lets trouble see each request before the registry does; it returns true where it has
// answered.
func (s *server) disturb(trouble func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble
}

// hang answers nothing until the test ends or the client goes away.
func (s *server) hang(q *http.Request) {
	select {
	case <-s.closing:
	case <-q.Context().Done():
	}
}

func (s *server) repo(t *testing.T) name.Repository {
	t.Helper()
	r, err := name.NewRepository(strings.TrimPrefix(s.URL, "http://") + "/team/app")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// options give up on a quiet server soon, and try again at once; more often than a test needs,
// since a busy machine looks like a quiet server.
func options() network.Options {
	return network.Options{Wait: time.Microsecond, Idle: 400 * time.Millisecond, Attempts: 10}
}

// push sends an image as publish does: blobs, then the manifest.
func push(t *testing.T, c *network.Client, tag name.Tag, img v1.Image) error {
	t.Helper()
	s, err := c.Session(t.Context(), tag.Context(), tag.Scope("push,pull"))
	if err != nil {
		return err
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		if err := c.Retry(t.Context(), func() error { return s.Upload(t.Context(), l) }); err != nil {
			return err
		}
	}
	return s.Put(t.Context(), tag, img)
}

// image is one of a single layer.
func image(t *testing.T, size int64) v1.Image {
	t.Helper()
	img, err := random.Image(size, 1)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
