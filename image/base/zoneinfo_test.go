package base_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/product"
)

// TestZoneinfo reads the time zones of the static base as programs do, and compares the archive
// that they are from with its hash.
func TestZoneinfo(t *testing.T) {
	if got := fmt.Sprintf("%x", sha256.Sum256(base.ZoneinfoArchive)); got != base.ZoneinfoSum {
		t.Errorf("zoneinfo.tar.zst has the SHA-256 %s, not %s", got, base.ZoneinfoSum)
	}
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "static", Builtin: "static-root"}}}
	const dir = "/usr/share/zoneinfo/"
	links, zones := map[string]string{}, map[string][]byte{}
	for _, e := range resolve(t, p, "static", "linux/arm64").Entries() {
		name, ok := strings.CutPrefix(e.Path, dir)
		switch {
		case !ok || e.Type == layer.Dir:
		case e.Type == layer.Symlink:
			links[name] = e.Linkname
		default:
			r, err := e.Content.Open()
			if err != nil {
				t.Fatal(err)
			}
			if zones[name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	summer := time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"Europe/Berlin": "14:00 CEST", "America/New_York": "08:00 EDT",
		"Asia/Kolkata": "17:30 IST", "Etc/UTC": "12:00 UTC",
	} {
		l, err := time.LoadLocationFromTZData(name, zones[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := summer.In(l).Format("15:04 MST"); got != want {
			t.Errorf("in %s it is %s, want %s", name, got, want)
		}
	}
	if links["US/Pacific"] != "../America/Los_Angeles" || links["Poland"] != "Europe/Warsaw" {
		t.Errorf("old names lead to %q and %q", links["US/Pacific"], links["Poland"])
	}
	if len(zones) < 800 {
		t.Errorf("there are %d time zones", len(zones))
	}
}
