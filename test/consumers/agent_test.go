package consumers

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/platform"
)

// agentCall is what the page calls the way of the agents.
const agentCall = "client.Import(…, WithAllPlatforms(true), WithSkipMissing())"

// testAgent imports every bundle as the agents of k3s and RKE2 do: all platforms, what is missing
// is skipped, and a name by digest for every image; nothing is unpacked. Then it asks containerd,
// as a node of the bundle's platform would, which manifest it runs: by tag and by the digest that
// release.yaml pins.
func (c containerd) testAgent(t *testing.T) {
	api, err := client.New(c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() //nolint:errcheck // everything was read
	each(t, func(t *testing.T, r release, b packedBundle) {
		ctx := namespaces.WithNamespace(t.Context(), namespace(r, b, "agent"))
		got := map[string]string{}
		for _, i := range importAll(ctx, t, api, b) {
			got[i.Name] = i.Target.Digest.String()
		}
		want := r.images(t, b)
		compare(t, got, want)
		var s sight
		for _, i := range want {
			targets := map[string]images.Image{}
			for _, name := range []string{i.name, fmt.Sprintf("%s@%s", i.repository(), i.digest)} {
				img, err := api.ImageService().Get(ctx, name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				targets[name] = img
			}
			s.name(t, i, b.target(), targets[i.name].Target.Digest.String(),
				targets[fmt.Sprintf("%s@%s", i.repository(), i.digest)].Target.Digest.String())
			for _, child := range i.children {
				p := child.Platform
				if !b.platform.IsZero() && !platform.Same(p, b.platform) {
					continue
				}
				host := platforms.OnlyStrict(spec(p))
				for name, img := range targets {
					m, err := images.Manifest(ctx, api.ContentStore(), img.Target, host)
					if err != nil {
						t.Errorf("%s on %s: %v", name, child.Platform, err)
						continue
					}
					if m.Config.Digest.String() != child.Config.String() {
						t.Errorf("a node of %s runs %s as %s, the lock has %s", child.Platform, name,
							m.Config.Digest, child.Config)
					}
					complete, _, _, missing, err := images.Check(ctx, api.ContentStore(), img.Target, host)
					if err != nil || !complete {
						t.Errorf("%s on %s: not all of it was imported, %v is missing: %v", name,
							child.Platform, missing, err)
						continue
					}
					s.has(child.Platform.String())
				}
			}
		}
		s.record(t, c.version, agentCall, r, b)
		if r.demo && b.platform.String() == "linux/amd64" {
			c.testSources(t, namespace(r, b, "agent"), agentCall, b)
		}
		atHosts(t, ctx, api, r, b)
	})
}

// importAll is what the agents do with a file in their directory of images: they name what it has
// by tag, and then by digest, too.
func importAll(ctx context.Context, t *testing.T, api *client.Client, b packedBundle) []images.Image {
	t.Helper()
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
	found, err := api.Import(ctx, z, client.WithAllPlatforms(true), client.WithSkipMissing())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range found {
		repository := i.Name[:strings.LastIndex(i.Name, ":")]
		pinned := images.Image{Name: repository + "@" + i.Target.Digest.String(), Target: i.Target}
		if _, err := api.ImageService().Create(ctx, pinned); err != nil && !errdefs.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	return found
}
