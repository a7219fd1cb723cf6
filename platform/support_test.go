package platform_test

import (
	"testing"
	"time"

	"github.com/slipway-dev/slipway/platform"
)

// TestPatchDay compares with days on which Microsoft published updates
// (https://learn.microsoft.com/windows/release-health/windows-server-release-info).
func TestPatchDay(t *testing.T) {
	for _, want := range []string{
		"2022-09-13", "2023-10-10", "2024-10-08", "2025-03-11", "2025-04-08", "2025-07-08", "2025-12-09", "2026-09-08",
	} {
		d := day(t, want)
		if got := platform.PatchDay(d.Year(), d.Month()); !got.Equal(d) {
			t.Errorf("the patch day of %s is %s", want, got.Format(time.DateOnly))
		}
	}
}

func TestPatchDays(t *testing.T) {
	for _, tc := range []struct {
		made, now string
		want      int
		last      string
	}{
		{"2025-03-06", "2025-03-31", 0, ""},           // made for the day of that month
		{"2025-03-03", "2025-03-31", 1, "2025-03-11"}, // eight days before
		{"2025-03-12", "2025-03-31", 0, ""},
		{"2025-03-12", "2025-04-08", 0, ""}, // that day has not ended
		{"2025-03-12", "2025-04-09", 1, "2025-04-08"},
		{"2025-03-06", "2026-11-26", 20, "2026-11-10"},
		{"2025-12-06", "2026-01-20", 1, "2026-01-13"},
		{"2026-11-26", "2025-03-06", 0, ""}, // of the future
	} {
		n, last := platform.PatchDays(day(t, tc.made), day(t, tc.now))
		got := ""
		if !last.IsZero() {
			got = last.Format(time.DateOnly)
		}
		if n != tc.want || got != tc.last {
			t.Errorf("from %s to %s there are %d, the last on %q; want %d and %q", tc.made, tc.now, n, got, tc.want, tc.last)
		}
	}
}

// TestWindowsSupport checks the states of a release around its days, and the days of all.
func TestWindowsSupport(t *testing.T) {
	r, ok := platform.FindWindows("10.0.20348.3091")
	if !ok {
		t.Fatal("Windows Server 2022 is not in the table")
	}
	for at, want := range map[string]string{
		"2026-10-13": "",
		"2026-10-14": "the regular support of Windows Server 2022 ended on 2026-10-13, and the extended one ends on 2031-10-14",
		"2031-10-14": "the regular support of Windows Server 2022 ended on 2026-10-13, and the extended one ends on 2031-10-14",
		"2031-10-15": "the support of Windows Server 2022 ended on 2031-10-14",
	} {
		if got := r.Support.State(day(t, at)); got != want {
			t.Errorf("on %s %q, not %q", at, got, want)
		}
	}
	build := 0
	for _, r := range platform.WindowsReleases {
		if r.Build() <= build {
			t.Errorf("%s is not newer than the one before it", r.Support.Name)
		}
		build = r.Build()
		day(t, r.Support.Until)
		if r.Support.Extended != "" && !day(t, r.Support.Until).Before(day(t, r.Support.Extended)) {
			t.Errorf("%s: extended support ends before the regular one", r.Support.Name)
		}
	}
	if _, ok := platform.FindWindows("10.0.22631.1"); ok {
		t.Error("Windows 11 is a release of Windows Server")
	}
}

func day(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
