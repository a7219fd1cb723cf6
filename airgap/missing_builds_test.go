package airgap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestMissingBuilds names the Windows builds of the product that a third-party image lacks, and
// what nodes run instead. An image for Linux alone lacks none.
func TestMissingBuilds(t *testing.T) {
	list := func(all ...string) (ps []platform.Platform) {
		for _, s := range all {
			ps = append(ps, bundletest.Parse(t, s))
		}
		return ps
	}
	l := &lock.Lock{Images: []lock.Image{{Name: "agent"}}, ThirdParty: []lock.ThirdParty{
		{
			Reference: "pause:3.10",
			Platforms: list("linux/amd64", "windows/amd64:10.0.17763.1", "windows/amd64:10.0.20348.1"),
		},
		{
			Reference: "pause:3.10.2",
			Platforms: list("windows/amd64:10.0.17763.1", "windows/amd64:10.0.20348.1", "windows/amd64:10.0.26100.1"),
		},
		{Reference: "tool:1", Platforms: list("windows/amd64:10.0.26100.1")},
		{Reference: "proxy:1", Platforms: list("linux/amd64")},
	}}
	for _, p := range list("linux/amd64", "windows/amd64:10.0.17763.9", "windows/amd64:10.0.26100.9") {
		l.Images[0].Children = append(l.Images[0].Children, lock.Child{Platform: p})
	}
	all := airgap.MissingBuilds(l)
	want := []airgap.MissingBuild{
		{Image: "pause:3.10", Platform: list("windows/amd64:ltsc2025")[0], Runs: list("windows/amd64:10.0.20348.1")[0]},
		{Image: "tool:1", Platform: list("windows/amd64:ltsc2019")[0]},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	var b strings.Builder
	if err := airgap.WriteMissingBuilds(&b, all); err != nil {
		t.Fatal(err)
	}
	text := "\nMISSING WINDOWS BUILDS\n" +
		"pause:3.10\n  has no windows/amd64:ltsc2025: its nodes run windows/amd64:10.0.20348.1\n" +
		"tool:1\n  has no windows/amd64:ltsc2019: its nodes cannot run the image: use a newer version of it\n"
	if d := cmp.Diff(text, b.String()); d != "" {
		t.Errorf("the report (-want +got):\n%s", d)
	}
}
