package imagetag_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/imagetag"
)

func TestForward(t *testing.T) {
	at := func(s string) (d time.Time) {
		if s == "" {
			return time.Time{}
		}
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, tt := range []struct {
		have, haveDate, want, wantDate string
		ok                             bool
		reason                         string
	}{
		{have: "1.21.5", want: "1.22.0", ok: true, reason: "1.22.0 is above 1.21.5"},
		{have: "1.22.0", want: "1.21.5", reason: "1.21.5 is below 1.22.0, which it names"},
		{have: "v1.21.5", want: "1.22.0", ok: true, reason: "1.22.0 is above v1.21.5"},
		{have: "1.9.0", want: "v1.10.0", ok: true, reason: "above"},
		{have: "1.2.3-rc.1", want: "1.2.3", ok: true, reason: "above"},
		{have: "1.2.3", want: "1.2.3-rc.1", reason: "below"},
		{have: "1.2.3-rc.2", want: "1.2.3-rc.10", ok: true, reason: "above"},
		{have: "1.2.3", want: "1.2.4-0.20261121093000-abcdefabcdef", ok: true, reason: "above"},
		{have: "1.2.3", want: "1.2.3", reason: "it names another image of version 1.2.3"},
		{have: "v1.2.3", want: "1.2.3", reason: "another image"},
		{have: "1.2.3", haveDate: "2026-01-01", want: "1.2.3", wantDate: "2026-02-01", reason: "another image"},
		{have: "1.2", want: "1.3.0", ok: true, reason: "above"},
		// the version counts, not the time
		{have: "1.22.0", haveDate: "2026-01-01", want: "1.21.5", wantDate: "2026-02-01", reason: "below"},
		// no semantic version on one side
		{
			have: "2026.01.02", haveDate: "2026-01-02", want: "2026.02.01", wantDate: "2026-02-01",
			ok: true, reason: "2026-02-01T00:00:00Z is after 2026-01-02T00:00:00Z",
		},
		{have: "20260102", haveDate: "2026-01-02", want: "20250102", wantDate: "2026-02-01", ok: true, reason: "after"},
		{
			have: "1234567", haveDate: "2026-02-02", want: "0123456", wantDate: "2026-02-01",
			reason: "2026-02-01T00:00:00Z is not after 2026-02-02T00:00:00Z",
		},
		{haveDate: "2026-01-02", want: "1.2.3", wantDate: "2026-01-03", ok: true, reason: "after"},
		{have: "main", haveDate: "2026-01-02", want: "1.2.3", wantDate: "2026-01-02", reason: "not after"},
		// unknown
		{want: "1.2.3", wantDate: "2026-01-02", reason: "neither a semantic version"},
		{have: "main", want: "1.2.3", wantDate: "2026-01-02", reason: "neither a semantic version"},
		{have: "1.2.3", want: "main", wantDate: "2026-01-02", reason: "time"},
		{have: "main", haveDate: "2026-01-02", want: "1.2.3", reason: "no time"},
		{reason: "neither"},
	} {
		ok, reason := imagetag.Forward(imagetag.Stamp{Version: tt.have, Created: at(tt.haveDate)},
			imagetag.Stamp{Version: tt.want, Created: at(tt.wantDate)})
		if ok != tt.ok || !strings.Contains(reason, tt.reason) {
			t.Errorf("from %q (%s) to %q (%s): %v, %q; want %v, %q", tt.have, tt.haveDate, tt.want,
				tt.wantDate, ok, reason, tt.ok, tt.reason)
		}
	}
}
