package network_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/partial"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestSlowDocuments reads documents that never end and never stall: each has a time.
func TestSlowDocuments(t *testing.T) {
	s := registrytest.Serve(t)
	img, repo := image(t, 100), s.Repo(t, "team/app")
	if err := push(t, network.New(options()), repo.Tag("1"), img); err != nil {
		t.Fatal(err)
	}
	config, err := partial.ConfigLayer(img)
	if err != nil {
		t.Fatal(err)
	}
	d, err := partial.Descriptor(config)
	if err != nil {
		t.Fatal(err)
	}
	d.Size = 1 << 20       // what it says
	var drips atomic.Value // the part of the path
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, drips.Load().(string)) {
			return false
		}
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		for q.Context().Err() == nil { // far more than what counts as stalled
			if _, err := w.Write([]byte(" ")); err != nil {
				break
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				break
			}
		}
		return true
	})
	o := network.Options{Wait: time.Microsecond, Document: time.Millisecond}
	for part, read := range map[string]func(c *network.Client) error{
		"/manifests/": func(c *network.Client) error { _, err := c.Get(t.Context(), repo.Tag("1")); return err },
		"/tags/":      func(c *network.Client) error { _, err := c.Tags(t.Context(), repo); return err },
		"/blobs/":     func(c *network.Client) error { _, err := c.Configs(t.Context(), repo)(*d); return err },
	} {
		drips.Store(part)
		err := read(network.New(o))
		if err == nil || !strings.Contains(err.Error(), "has not sent all of a document within") {
			t.Errorf("%s: %v", part, err)
		}
	}
}
