package lint_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
)

// TestWindowsSelector: a pod whose image is for one Windows build selects nodes of it, also where
// the release is for no other build.
func TestWindowsSelector(t *testing.T) {
	l := readLock(t)
	alone := *l
	alone.ThirdParty, alone.Images = nil, nil
	for _, i := range l.Images {
		if i.Name == "agent" { // for 10.0.20348
			alone.Images = append(alone.Images, i)
		}
	}
	for name, tc := range map[string]struct {
		selects string
		images  []lock.Image
		want    string
	}{
		"selected":          {", node.kubernetes.io/windows-build: 10.0.20348", alone.Images, ""},
		"newer, which runs": {", node.kubernetes.io/windows-build: 10.0.26100", alone.Images, ""},
		"not selected":      {"", alone.Images, "image-windows-selector"},
		"of the release":    {"", l.Images, "image-windows-build"},
	} {
		t.Run(name, func(t *testing.T) {
			of := alone
			of.Images = tc.images
			text := []byte(podOnWindows(agent, tc.selects))
			r, err := lint.Check(t.Context(), []lint.File{{Name: "a.yaml", Text: text}}, lint.Options{Lock: &of})
			must(t, err)
			if got := strings.Join(ids(r.Findings), " "); got != tc.want {
				t.Errorf("it finds %q, want %q: %v", got, tc.want, r.Findings)
			}
		})
	}
}
