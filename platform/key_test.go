package platform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/platform"
)

// everyPlatform are all operating systems and architectures of Go and of image indexes, in each of
// their spellings, with all variants, and the Windows builds.
func everyPlatform() (all []platform.Platform) {
	architectures := []string{
		"386", "i386", "amd64", "x86_64", "x86-64", "AMD64", "arm", "armhf", "armel", "arm64", "aarch64", "loong64",
		"mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm",
	}
	variants := []string{
		"", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "5", "6", "7", "8", "9", "v8.0", "v8.1", "v8.2", "v8.9", "v9",
		"v9.0", "v9.3", "v9.7", "softfloat",
	}
	for _, os := range []string{"linux", "windows", "darwin", "macos", "freebsd", "Linux", "wasip1"} {
		for _, a := range architectures {
			for _, v := range variants {
				if v != "" && v != "v1" && !strings.HasPrefix(a, "a") && !strings.HasPrefix(a, "x") {
					continue // it has no generations
				}
				p := platform.Platform{OS: os, Architecture: a, Variant: v}
				all = append(all, p)
				if os == platform.Windows && v == "" {
					for _, r := range platform.WindowsReleases {
						p.OSVersion = r.Version + ".1"
						all = append(all, p)
					}
				}
			}
		}
	}
	return all
}

// TestNormal compares the normal form of every platform with containerd's.
func TestNormal(t *testing.T) {
	for _, p := range everyPlatform() {
		got, want := p.Normal(), platforms.Normalize(spec(p))
		want.OSFeatures = nil
		if got.OS != want.OS || got.Architecture != want.Architecture || got.Variant != want.Variant {
			t.Errorf("%s is %s, containerd has %s", p, got, platforms.FormatAll(want))
		}
	}
}

// TestEveryPlatform compares the rule which images a host runs, and which of two it takes, with
// containerd's for every host and every image.
func TestEveryPlatform(t *testing.T) {
	extent.Plain(t)
	images := everyPlatform()
	fits := 0
	for _, host := range images {
		if host != host.Normal() || host.OS != platform.Linux && host.OS != platform.Windows ||
			host.Variant != "" && host.Variant[0] != 'v' ||
			strings.Contains(host.Variant, ".") && host.Architecture != "arm64" ||
			host.Architecture == "arm64" && host.Variant != "" && host.Variant < "v8" {
			continue // hosts call themselves what Go calls them
		}
		m := platforms.Only(spec(host))
		var run []platform.Platform
		for _, i := range images {
			want := m.Match(spec(i))
			if got := platform.Runs(host, i); got != want {
				t.Errorf("a host of %s runs %s: %v, containerd: %v", host, i, got, want)
			}
			if want {
				fits++
			}
			if want && i == i.Normal() {
				run = append(run, i)
			}
		}
		if host.OS == platform.Windows {
			continue // containerd on Windows sorts by the version besides
		}
		for _, a := range run {
			for _, b := range run {
				pair := []platform.Platform{a, b}
				taken := []specs.Platform{spec(a), spec(b)}
				slices.SortStableFunc(taken, func(x, y specs.Platform) int {
					switch {
					case m.Less(x, y):
						return -1
					case m.Less(y, x):
						return 1
					}
					return 0
				})
				got := pair[platform.Best(host, pair)]
				if !platform.Same(got, platform.Platform{OS: taken[0].OS, Architecture: taken[0].Architecture, Variant: taken[0].Variant}) {
					t.Fatalf("of %s and %s a host of %s takes %s, containerd %s", a, b, host, got,
						platforms.FormatAll(taken[0]))
				}
			}
		}
	}
	if fits < 5000 {
		t.Errorf("only %d pairs fit", fits)
	}
}
