package bundletest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// To pushes to the registry below mirror.
func To(r *registrytest.Server) airgap.PushOptions {
	return airgap.PushOptions{
		Snapshot: true, To: r.Host() + "/mirror", Registry: network.Options{Wait: time.Microsecond},
	}
}

// Whole packs the demo for all platforms and opens the bundle.
func Whole(tb testing.TB, size int) *bundle.Bundle {
	tb.Helper()
	st, l := Demo(tb, size)
	return Opened(tb, Pack(tb, st, l, tb.TempDir(), airgap.Target{Name: "demo-images"})[0].Path)
}

// Part opens the demo's bundle for one platform.
func Part(tb testing.TB, p string) *bundle.Bundle {
	tb.Helper()
	b, _ := PartFile(tb, p)
	return b
}

// PartFile opens the demo's bundle for one platform, and returns its path as well.
func PartFile(tb testing.TB, p string) (*bundle.Bundle, string) {
	tb.Helper()
	st, l := Demo(tb, 1000)
	for _, f := range Pack(tb, st, l, tb.TempDir(), Targets(tb)...) {
		if strings.HasSuffix(f.Path, Parse(tb, p).Slug()+".tar.zst") {
			return Opened(tb, f.Path), f.Path
		}
	}
	tb.Fatalf("no bundle is for %s", p)
	return nil, ""
}

// Opened opens a bundle until the test ends.
func Opened(tb testing.TB, path string) *bundle.Bundle {
	tb.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	return b
}

// Pull validates every image of a push down to the last byte of its layers.
func Pull(tb testing.TB, p *airgap.Pushed) {
	tb.Helper()
	for _, i := range p.Images {
		for _, s := range []string{i.Target, i.Reference} {
			ref, err := name.ParseReference(s)
			if err != nil {
				tb.Fatal(err)
			}
			d, err := remote.Get(ref)
			if err != nil {
				tb.Fatal(err)
			}
			if !strings.HasSuffix(i.Reference, "@"+d.Digest.String()) {
				tb.Errorf("%s is %s, the bundle has %s", s, d.Digest, i.Reference)
			}
			if !d.MediaType.IsIndex() {
				img, err := d.Image()
				if err != nil {
					tb.Fatal(err)
				}
				if err := validate.Image(img); err != nil {
					tb.Errorf("%s: %v", s, err)
				}
				continue
			}
			idx, err := d.ImageIndex()
			if err != nil {
				tb.Fatal(err)
			}
			if err := validate.Index(idx); err != nil {
				tb.Errorf("%s: %v", s, err)
			}
		}
	}
}

// Says checks that an error contains all parts.
func Says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
