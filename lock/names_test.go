package lock_test

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestFindTagged finds an image by each of its names, and two images that share a repository.
func TestFindTagged(t *testing.T) {
	hex := func(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }
	linux, windows := platform.Platform{OS: "linux", Architecture: "amd64"},
		platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}
	const repo = "registry.k8s.io/sig-storage/smbplugin"
	l := &lock.Lock{
		Release: lock.Release{Registry: "registry.k8s.io", Copies: []string{"ghcr.io/me"}},
		Images: []lock.Image{
			{
				Name: "smbplugin", Repository: repo, Copies: []string{"ghcr.io/me/smb"},
				Tags: []string{"v1", "v1-full"}, MediaType: types.OCIImageIndex, Digest: hex("a"),
				Children: []lock.Child{{Platform: linux, Digest: hex("c")}, {Platform: windows, Digest: hex("d")}},
				PlatformTags: []lock.PlatformTag{{
					Tag: "v1-windows-amd64", Platforms: []platform.Platform{windows},
					Digest: hex("d"),
				}},
				FloatingTags: []lock.FloatingTag{
					{Tag: "latest", Repository: repo},
					{Tag: "canary", Repository: repo, Kept: "it names a newer one"},
					{Tag: "latest", Repository: "ghcr.io/me/smb"},
				},
			},
			{
				Name: "hostprocess", Repository: repo, Copies: []string{"ghcr.io/me/smb"}, Tags: []string{"v1-windows-hp"},
				Digest: hex("b"), Children: []lock.Child{{Platform: windows, Digest: hex("e")}},
			},
		},
	}
	for at, registry := range map[string]string{repo: "registry.k8s.io", "ghcr.io/me/smb": "ghcr.io/me"} {
		here, ok := l.At(registry)
		if !ok {
			t.Fatalf("the release is not at %s", registry)
		}
		for tag, want := range map[string]struct {
			name, reference, platforms string
		}{
			":v1":               {"smbplugin", "a", "linux/amd64 windows/amd64:10.0.20348.1"},
			":v1-full":          {"smbplugin", "a", "linux/amd64 windows/amd64:10.0.20348.1"},
			":latest":           {"smbplugin", "a", "linux/amd64 windows/amd64:10.0.20348.1"},
			":v1-windows-amd64": {"smbplugin", "d", "windows/amd64:10.0.20348.1"},
			":v1-windows-hp":    {"hostprocess", "b", "windows/amd64:10.0.20348.1"},
			":canary":           {},
			":v2":               {},
		} {
			k, found := here.Catalog().FindTagged(at + tag)
			var platforms []string
			for _, p := range k.Platforms {
				platforms = append(platforms, p.String())
			}
			if k.Name != want.name || found != (want.name != "") || strings.Join(platforms, " ") != want.platforms {
				t.Errorf("%s%s is %q (%v) for %v, want %v", at, tag, k.Name, found, platforms, want)
			}
			if !found {
				continue
			}
			if k, fault, what := here.Catalog().Resolve(at +
				"@" + hex(want.reference).String()); fault != lock.NoFault || k.Name != want.name {
				t.Errorf("%s by its digest is %q: %s", tag, k.Name, what)
			}
			// A reference by a tag gets the digest of what that tag names.
			if _, fault, what := here.Catalog().Resolve(at + tag); fault != lock.Unpinned ||
				!strings.HasSuffix(what, "write "+at+"@"+hex(want.reference).String()) {
				t.Errorf("%s%s: %s", at, tag, what)
			}
		}
	}
	var names []string
	for _, n := range l.Images[0].Names() {
		names = append(names, strings.TrimPrefix(n.Reference, repo+":"))
	}
	if want := []string{"v1", "v1-full", "v1-windows-amd64", "latest"}; !slices.Equal(names, want) {
		t.Errorf("the names are %v, want %v", names, want)
	}
	if _, ok := l.At("ghcr.io"); ok {
		t.Error("the release is at ghcr.io")
	}
}
