package platform_test

import (
	"fmt"
	"testing"

	"github.com/containerd/platforms"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// TestRuns holds the rule beside containerd's for every pair of a host and an image.
func TestRuns(t *testing.T) {
	versions := []string{
		"10.0.14393.1", "10.0.17763.1", "10.0.17763.8389", "10.0.18363.1", "10.0.19041.1", "10.0.19045.9", "10.0.20348.1", "10.0.20348.4773",
		"10.0.22621.1", "10.0.22631.4", "10.0.25398.1", "10.0.26100.1", "10.0.26100.32370", "10.0.26200.1", "10.0.28000.1", "6.3.9600.1", "11.0.26100.1",
	}
	var all []v1.Platform
	for _, v := range versions {
		all = append(all, windows(v))
	}
	all = append(all, v1.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100.1"},
		v1.Platform{OS: "linux", Architecture: "amd64"}, v1.Platform{OS: "linux", Architecture: "arm64"},
		v1.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"}, v1.Platform{OS: "linux", Architecture: "arm", Variant: "v7"})
	matched := 0
	for _, host := range all {
		m := platforms.OnlyStrict(spec(host))
		for _, image := range append(all, windows("")) {
			want := m.Match(platforms.Normalize(spec(image)))
			if got := platform.Runs(host, image); got != want {
				t.Errorf("a host of %s runs %s: %v, containerd says %v", platform.Format(host), platform.Format(image), got, want)
			}
			if want {
				matched++
			}
		}
	}
	if matched < 50 {
		t.Errorf("only %d pairs fit", matched)
	}
}

func TestBest(t *testing.T) {
	for _, tc := range []struct {
		host   string
		images []string
		want   int
	}{
		{"10.0.26100", []string{"10.0.26100.5", "10.0.20348.9"}, 0},
		{"10.0.26100", []string{"10.0.20348.9", "10.0.26100.5"}, 1},
		{"10.0.26100", []string{"10.0.17763.1", "10.0.20348.9"}, 1},
		{"10.0.26100", []string{"10.0.20348.9", "10.0.25398.1"}, 1},
		{"10.0.26100", []string{"10.0.25398.1", "10.0.20348.9"}, 0},
		{"10.0.26100", []string{"", "10.0.20348.9"}, 1},
		{"10.0.26100", []string{"", "10.0.17763.9"}, 0},
		{"10.0.26100", []string{"10.0.17763.9"}, -1},
		{"10.0.26100", nil, -1},
		{"10.0.20348", []string{"10.0.26100.1", "10.0.25398.1"}, -1},
		{"10.0.20348", []string{"10.0.17763.1", "10.0.20348.1"}, 1},
		{"10.0.17763", []string{"10.0.20348.1"}, -1},
		{"10.0.17763", []string{"10.0.20348.1", "10.0.17763.77"}, 1},
	} {
		t.Run(fmt.Sprint(tc.host, tc.images), func(t *testing.T) {
			var images []v1.Platform
			for _, v := range tc.images {
				images = append(images, windows(v))
			}
			if got := platform.Best(windows(tc.host), images); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
