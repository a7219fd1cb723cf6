package network_test

import (
	"flag"
	"log"
	"os"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/subprocess"
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
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil { // tests wait more than they work
		log.Fatal(err)
	}
	subprocess.Grace = time.Second
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
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
	raw, err := img.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	mt, err := img.MediaType()
	if err != nil {
		t.Fatal(err)
	}
	return s.Put(t.Context(), tag, mt, raw)
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
