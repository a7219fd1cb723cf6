package platform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/containerd/platforms"
	"github.com/google/go-cmp/cmp"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/platform"
)

// ordered lists platforms in the order of an index.
var ordered = []string{
	"linux/386", "linux/amd64", "linux/arm/v6", "linux/arm/v7", "linux/arm64", "linux/s390x",
	"windows/amd64:ltsc2025", "windows/arm64:ltsc2025",
	"windows/amd64:10.0.20348.10000", "windows/amd64:10.0.20348.2113", "windows/amd64:ltsc2022",
	"windows/amd64:10.0.19041", "windows/amd64:ltsc2019", "windows/amd64:10.0.9999",
}

func TestSort(t *testing.T) {
	var want []platform.Platform
	for _, s := range ordered {
		want = append(want, parse(t, s))
	}
	for seed := range uint64(20) {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		platform.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, d)
		}
	}
	for i, a := range want {
		for j, b := range want {
			if got, want := sign(platform.Compare(a, b)), sign(i-j); got != want {
				t.Errorf("Compare(%s, %s) is %d, want %d", ordered[i], ordered[j], got, want)
			}
		}
	}
}

// TestContainerdTakesTheFirst checks that on every host, the first child of an index that
// containerd matches is the one meant for that host. Old containerd takes the first match,
// newer versions the best by Less; both choose the same child.
func TestContainerdTakesTheFirst(t *testing.T) {
	index := []platform.Platform{
		parse(t, "windows/amd64:10.0.17763.8389"), parse(t, "windows/amd64:10.0.26100.32370"),
		parse(t, "windows/amd64:10.0.20348.4773"),
		parse(t, "linux/arm64"), parse(t, "linux/amd64"),
	}
	platform.Sort(index)
	for _, tc := range []struct {
		host platform.Platform
		want string // empty: no child runs there
	}{
		{platform.Platform{OS: "linux", Architecture: "amd64"}, "linux/amd64"},
		{platform.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"}, "linux/arm64"},
		{windows("10.0.14393.0"), ""},
		{windows("10.0.17763.1"), "windows/amd64:10.0.17763.8389"},
		{windows("10.0.17763.9999"), "windows/amd64:10.0.17763.8389"},
		{windows("10.0.19041.1"), ""},
		{windows("10.0.20348.1"), "windows/amd64:10.0.20348.4773"},
		{windows("10.0.22621.1"), "windows/amd64:10.0.20348.4773"},
		{windows("10.0.25398.1"), "windows/amd64:10.0.20348.4773"},
		{windows("10.0.26100.1"), "windows/amd64:10.0.26100.32370"},
		{windows("10.0.26200.1"), "windows/amd64:10.0.26100.32370"},
	} {
		t.Run(tc.host.String(), func(t *testing.T) {
			m := platforms.OnlyStrict(spec(tc.host))
			var matches []platform.Platform
			for _, p := range index {
				if m.Match(spec(p)) {
					matches = append(matches, p)
				}
			}
			if len(matches) == 0 {
				if tc.want != "" {
					t.Fatalf("containerd takes no child, want %s", tc.want)
				}
				return
			}
			if got := matches[0].String(); got != tc.want {
				t.Errorf("the first match is %s, want %q", got, tc.want)
			}
			best := slices.Clone(matches)
			slices.SortStableFunc(best, func(a, b platform.Platform) int {
				switch {
				case m.Less(spec(a), spec(b)):
					return -1
				case m.Less(spec(b), spec(a)):
					return 1
				}
				return 0
			})
			if got := best[0].String(); got != tc.want {
				t.Errorf("the best match is %s, want %q", got, tc.want)
			}
		})
	}
}

// TestContainerdReads checks that containerd reads what String writes for Linux, and that Parse
// reads what containerd writes for both operating systems.
func TestContainerdReads(t *testing.T) {
	for _, s := range ordered {
		p := parse(t, s)
		text := platforms.FormatAll(spec(p))
		got, err := platform.Parse(text)
		if err != nil || !platform.Same(got, p) || got.OSVersion != p.OSVersion {
			t.Errorf("%s: containerd writes %q, which Parse reads as %+v (%v)", s, text, got, err)
		}
		if p.OS != platform.Linux {
			continue
		}
		theirs, err := platforms.Parse(p.String())
		if err != nil || !platforms.OnlyStrict(spec(p)).Match(theirs) {
			t.Errorf("%s: containerd reads it as %+v (%v)", s, theirs, err)
		}
	}
}

func spec(p platform.Platform) specs.Platform {
	s := specs.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion}
	if p.OSFeatures != "" {
		s.OSFeatures = p.V1().OSFeatures
	}
	return s
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
