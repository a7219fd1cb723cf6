package release_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// TestAged judges bases as slipway.yaml and bases.lock.yaml name them, on two days.
func TestAged(t *testing.T) {
	image := func(on, reference, tag, made string) product.BaseImage {
		p, err := platform.Parse(on)
		fatal(t, err)
		ref, err := name.ParseReference(reference)
		fatal(t, err)
		i := product.BaseImage{Platform: p, Reference: ref, Tag: tag}
		if made != "" {
			day, err := time.Parse(time.DateOnly, made)
			fatal(t, err)
			i.Lock = &product.LockedBase{Created: day}
		}
		return i
	}
	const nano = "mcr.microsoft.com/windows/nanoserver"
	p := &product.Product{Bases: []product.Base{
		{Name: "static", Builtin: "static"},
		{Name: "nanoserver", Microsoft: "nanoserver", Images: []product.BaseImage{
			image("windows/amd64:ltsc2025", nano, "ltsc2025", "2026-09-05"), // published on 2026-09-08
			image("windows/amd64:ltsc2022", nano, "ltsc2022", ""),
			image("windows/amd64:10.0.18363", nano, "1909", "2021-05-08"),
		}},
		{Name: "hpc", AnyBuild: true, Images: []product.BaseImage{image("windows/amd64:ltsc2022", "example.com/hpc", "v1", "2022-01-01")}},
		{Name: "slim", Images: []product.BaseImage{image("linux/amd64", "debian", "bookworm-slim", "2020-01-01")}},
		{Name: "next", Images: []product.BaseImage{image("linux/amd64", "debian", "trixie-slim", "2026-01-01")}},
		{Name: "own", Images: []product.BaseImage{image("linux/amd64", "example.com/base", "12", "2020-01-01")}},
	}}
	ended := "warning: base nanoserver for windows/amd64:10.0.18363: the support of Windows Server, version 1909 ended on 2021-05-11"
	for now, want := range map[string][]string{
		"2026-05-01": {ended},
		"2028-09-20": {
			"warning: base nanoserver for windows/amd64:ltsc2025: it is of 2026-09-05, and Microsoft has had 24 patch days " +
				"since, the last on 2028-09-12: run slipway pin bases -update",
			ended,
			"warning: base slim for linux/amd64: the support of Debian 12 ended on 2028-06-30",
			"warning: base next for linux/amd64: the regular support of Debian 13 ended on 2028-08-09, and the extended " +
				"one ends on 2030-06-30",
		},
	} {
		day, err := time.Parse(time.DateOnly, now)
		fatal(t, err)
		if diff := cmp.Diff(want, release.Aged(p, day)); diff != "" {
			t.Errorf("on %s (-want +got):\n%s", now, diff)
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
