package registries

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/publish"
)

// packBundle packs a snapshot for all platforms, or for one, and opens the bundle.
func packBundle(t *testing.T, system string) (*bundle.Bundle, *lock.Lock) {
	t.Helper()
	p, st, l := cut(t)
	l, err := publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := []airgap.Target{{Name: "all"}}
	if system != "" {
		s, err := platform.Parse(system)
		if err != nil {
			t.Fatal(err)
		}
		b = append([]airgap.Target{{Name: "one", Platform: s}}, b...)
	}
	files, _, err := airgap.Pack(t.Context(), st, l, b, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := bundle.Open(files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened, l
}

// moved is l as it is after a push.
func moved(l *lock.Lock, to string) *lock.Lock {
	m := *l
	m.Images = append([]lock.Image{}, l.Images...)
	for n := range m.Images {
		m.Images[n].Repository = strings.Replace(m.Images[n].Repository, "slipway.local", to, 1)
	}
	return &m
}

// trusting are options with the registry's certificate authority out of a file, as -ca-file has it.
func trusting(t *testing.T, r software) network.Options {
	t.Helper()
	o := network.Options{Wait: time.Millisecond}
	if r.authorities != "" {
		var err error
		if o.Transport, err = network.TrustFile(r.authorities); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func TestPushBundle(t *testing.T) {
	for name, start := range map[string]func(*testing.T) software{
		"distribution 3":                       func(t *testing.T) software { return distribution3(t, false, false) },
		"distribution 3 with TLS and password": func(t *testing.T) software { return distribution3(t, true, true) },
		"Debian":                               func(t *testing.T) software { return debian(t, false) },
		"Debian with TLS and password":         func(t *testing.T) software { return debianTLS(t, true, true) },
	} {
		t.Run(name, func(t *testing.T) {
			testprog.Need(t, "skopeo")
			r := start(t)
			config := login(t, r.host, password)
			b, l := packBundle(t, "")
			to := r.host + "/mirror"
			release := filepath.Join(t.TempDir(), "release.yaml")
			var src string
			for _, i := range l.Images {
				src += "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: " + i.Reference() + "}]}\n---\n"
			}
			if err := os.WriteFile(release, []byte(src), 0o644); err != nil {
				t.Fatal(err)
			}
			counter := &counting{inner: trusting(t, r).Transport}
			if counter.inner == nil {
				counter.inner = http.DefaultTransport
			}
			o := airgap.PushOptions{
				Snapshot: true,
				To:       to, Release: release,
				Registry: network.Options{Wait: time.Millisecond, Transport: counter},
			}
			p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			if err != nil {
				t.Fatal(err)
			}
			m := moved(l, to)
			pullBack(t, r, m)
			for _, i := range m.Images {
				skopeo(t, i.Tagged(), i, "--authfile", config)
			}
			got, err := os.ReadFile(p.Release.Path)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(src, "slipway.local", to); string(got) != want {
				t.Errorf("the release is\n%s\nwant\n%s", got, want)
			}
			arrived(t, r, m, label(t, name), "slipway airgap push BUNDLE -to=REGISTRY -release=release.yaml",
				"all platforms")
			counter.writes.Store(0)
			if p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err != nil {
				t.Fatal(err)
			}
			if n := counter.writes.Load(); n != 0 || p.Blobs != 0 {
				t.Errorf("the second push wrote %d times", n)
			}
			if r.authorities != "" {
				o.Registry.Transport = nil
				if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err == nil ||
					!strings.Contains(err.Error(), "certificate") {
					t.Errorf("without -ca-file: %v", err)
				}
			}
		})
	}
}

// counting counts requests that write, and breaks a connection off where a test asks for it.
type counting struct {
	inner  http.RoundTripper
	writes atomic.Int64
	stop   context.CancelFunc
	after  int64 // how many writes there are before stop is called; 0 never calls it
}

func (c *counting) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method != http.MethodGet && q.Method != http.MethodHead {
		if n := c.writes.Add(1); c.after > 0 && n > c.after {
			c.stop()
		}
	}
	return c.inner.RoundTrip(q)
}

// TestPushBundleResumes stops a push after some blobs.
func TestPushBundleResumes(t *testing.T) {
	for name, start := range map[string]func(*testing.T) software{
		"distribution 3": func(t *testing.T) software { return distribution3(t, false, false) },
		"Debian":         func(t *testing.T) software { return debian(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			b, l := packBundle(t, "")
			ctx, cancel := context.WithCancel(t.Context())
			// three blobs take nine
			c := &counting{inner: http.DefaultTransport, stop: cancel, after: 10}
			o := airgap.PushOptions{Snapshot: true, To: r.host, Registry: network.Options{Transport: c, Jobs: 1}}
			if _, err := airgap.Push(ctx, []*bundle.Bundle{b}, o); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want context.Canceled", err)
			}
			o.Registry = network.Options{}
			p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			if err != nil {
				t.Fatal(err)
			}
			_, st, _ := cut(t)
			if want := int64(unique(t, st, l) - 3); p.Blobs != want {
				t.Errorf("%d blobs were sent in the second push, want %d", p.Blobs, want)
			}
			pullBack(t, r, moved(l, r.host))
		})
	}
}

// TestPushBundleSparse pushes the bundle for one platform: registries refuse its indexes, unless
// they are configured to take them.
func TestPushBundleSparse(t *testing.T) {
	const sparse = "slipway airgap push BUNDLE -to=REGISTRY -platforms=linux/amd64"
	for name, tt := range map[string]struct {
		start func(*testing.T) software
		takes bool
	}{
		"distribution 3": {func(t *testing.T) software { return distribution3(t, false, false) }, false},
		"distribution 3 with validation.manifests.indexes.platforms: none": {lenient3, true},
		"Debian": {func(t *testing.T) software { return debian(t, false) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.start(t)
			b, l := packBundle(t, "linux/amd64")
			o := airgap.PushOptions{Snapshot: true, To: r.host, Platforms: []string{"linux/amd64"}}
			p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			if !tt.takes {
				if err == nil || !strings.Contains(err.Error(), "push the bundle for all platforms") {
					t.Fatalf("got %v", err)
				}
				targets.Record(t, label(t, name), "`"+sparse+"`", "linux/amd64",
					"refused: push the bundle for all platforms", "–", "–")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Images) != 2 || len(p.Images[0].NotInRegistry) != 4 {
				t.Fatalf("pushed %+v", p.Images)
			}
			m := moved(l, r.host)
			m.Images = m.Images[:2]
			arrived(t, r, m, label(t, name), sparse, "linux/amd64")
		})
	}
}
