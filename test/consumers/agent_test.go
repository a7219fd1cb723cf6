package consumers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/platforms"
	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"

	"github.com/slipway-dev/slipway/platform"
)

// TestAgent imports every bundle as the agents of k3s and RKE2 do: all platforms, what is missing is skipped, and a name by digest for
// every image. Then it asks containerd, as a node of the bundle's platform would, which manifest it runs: by tag and by the
// digest that release.yaml pins.
func TestAgent(t *testing.T) {
	socket := daemon(t)
	each(t, func(t *testing.T, r release, b bundle) {
		c, err := client.New(socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // everything was read
		ctx := namespaces.WithNamespace(t.Context(), namespace(r, b))
		f, err := os.Open(b.path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		// The decoder is bounded as k3s bounds it.
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxMemory(32<<20))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		repository := func(ref string) string { return ref[:strings.LastIndex(ref, ":")] }
		found, err := c.Import(ctx, z, client.WithAllPlatforms(true), client.WithSkipMissing())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, i := range found {
			got[i.Name] = i.Target.Digest.String()
			pinned := images.Image{Name: repository(i.Name) + "@" + i.Target.Digest.String(), Target: i.Target}
			if _, err := c.ImageService().Create(ctx, pinned); err != nil {
				t.Fatal(err)
			}
		}
		want := r.images(t, b)
		compare(t, got, want)
		for _, i := range want {
			for _, child := range i.children {
				p := parse(t, child.Platform)
				if b.platform != nil && !platform.Same(p, *b.platform) {
					continue
				}
				for _, name := range []string{i.name, fmt.Sprintf("%s@%s", repository(i.name), i.digest)} {
					img, err := c.ImageService().Get(ctx, name)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					host := platforms.OnlyStrict(platforms.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion})
					m, err := images.Manifest(ctx, c.ContentStore(), img.Target, host)
					if err != nil {
						t.Errorf("%s on %s: %v", name, child.Platform, err)
						continue
					}
					if m.Config.Digest != digest.Digest(child.Config.String()) {
						t.Errorf("a node of %s runs %s as %s, the lock has %s", child.Platform, name, m.Config.Digest, child.Config)
					}
					complete, _, _, missing, err := images.Check(ctx, c.ContentStore(), img.Target, host)
					if err != nil || !complete {
						t.Errorf("%s on %s: not all of it was imported, %v is missing: %v", name, child.Platform, missing, err)
					}
				}
			}
		}
	})
}
