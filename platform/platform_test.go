package platform_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want platform.Platform
		out  string // what Format writes
		slug string
	}{
		{"linux/amd64", platform.Platform{OS: "linux", Architecture: "amd64"}, "linux/amd64", "linux-amd64"},
		{"linux/arm64", platform.Platform{OS: "linux", Architecture: "arm64"}, "linux/arm64", "linux-arm64"},
		{
			"linux/arm64/v8",
			platform.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"},
			"linux/arm64/v8", "linux-arm64-v8",
		},
		{
			"linux/arm/v7",
			platform.Platform{OS: "linux", Architecture: "arm", Variant: "v7"},
			"linux/arm/v7",
			"linux-arm-v7",
		},
		{"linux/s390x", platform.Platform{OS: "linux", Architecture: "s390x"}, "linux/s390x", "linux-s390x"},
		{"windows/amd64:ltsc2019", windows("10.0.17763"), "windows/amd64:ltsc2019", "windows-ltsc2019-amd64"},
		{"windows/amd64:ltsc2022", windows("10.0.20348"), "windows/amd64:ltsc2022", "windows-ltsc2022-amd64"},
		{"windows/amd64:ltsc2025", windows("10.0.26100"), "windows/amd64:ltsc2025", "windows-ltsc2025-amd64"},
		{
			"windows/arm64:ltsc2025",
			platform.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100"},
			"windows/arm64:ltsc2025", "windows-ltsc2025-arm64",
		},
		{"windows/amd64:10.0.17763", windows("10.0.17763"), "windows/amd64:ltsc2019", "windows-ltsc2019-amd64"},
		{"windows/amd64:10.0.17763.1", windows("10.0.17763.1"), "windows/amd64:10.0.17763.1", "windows-ltsc2019-amd64"},
		{"windows/amd64:10.0.19041", windows("10.0.19041"), "windows/amd64:10.0.19041", "windows-10.0.19041-amd64"},
		{
			"windows/amd64:10.0.19041.264", windows("10.0.19041.264"), "windows/amd64:10.0.19041.264",
			"windows-10.0.19041-amd64",
		},
		{"windows(10.0.17763)/amd64", windows("10.0.17763"), "windows/amd64:ltsc2019", "windows-ltsc2019-amd64"},
		{
			"windows(10.0.20348.2113)/amd64", windows("10.0.20348.2113"), "windows/amd64:10.0.20348.2113",
			"windows-ltsc2022-amd64",
		},
		{"windows(ltsc2022)/amd64", windows("10.0.20348"), "windows/amd64:ltsc2022", "windows-ltsc2022-amd64"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := platform.Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("Parse gives %+v, want %+v", got, tc.want)
			}
			if s := got.String(); s != tc.out {
				t.Errorf("Format gives %q, want %q", s, tc.out)
			}
			if s := got.Slug(); s != tc.slug {
				t.Errorf("Slug gives %q, want %q", s, tc.slug)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct{ in, says, remedy string }{
		{"", "unknown operating system", "linux/ARCH"},
		{"amd64", "unknown operating system", "linux/ARCH"},
		{"darwin/amd64", "unknown operating system", "windows/ARCH:LTSC"},
		{"Linux/amd64", "unknown operating system", "linux/ARCH"},
		{" linux/amd64", "unknown operating system", "linux/ARCH"},
		{"linux", "unknown architecture", "amd64, arm"},
		{"linux/", "unknown architecture", "amd64, arm"},
		{"linux/x86_64", "unknown architecture", "amd64, arm"},
		{"linux/amd64 ", "unknown architecture", "amd64, arm"},
		{"linux/amd64/", "unknown variant", "v7, v8"},
		{"linux/arm/7", "unknown variant", "v7, v8"},
		{"linux/arm/v7/v8", "unknown variant", "v7, v8"},
		{"linux/amd64:ltsc2022", "only Windows", "linux/amd64"},
		{"linux/amd64:", "only Windows", "linux/amd64"},
		{"windows/386:ltsc2022", "unknown architecture", "amd64, arm64"},
		{"windows/amd64", "lacks the Windows release", "ltsc2019, ltsc2022, ltsc2025"},
		{"windows/amd64:", "lacks the Windows release", "ltsc2019, ltsc2022, ltsc2025"},
		{"windows/amd64:ltsc2016", "unknown Windows release", "ltsc2019, ltsc2022, ltsc2025"},
		{"windows/amd64:LTSC2022", "unknown Windows release", "ltsc2022"},
		{"windows/amd64:10.0", "unknown Windows release", "10.0.17763"},
		{"windows/amd64:10.0.17763.1.2", "unknown Windows release", "10.0.17763"},
		{"windows/amd64:10.0.017763", "unknown Windows release", "10.0.17763"},
		{"windows/amd64:10.0.99999999999999999999", "unknown Windows release", "10.0.17763"},
		{"windows/amd64:10.0.17763 ", "unknown Windows release", "10.0.17763"},
		{"windows/amd64/v2:ltsc2022", "has a variant", "windows/amd64:LTSC"},
		{"windows/amd64/:ltsc2022", "has a variant", "windows/amd64:LTSC"},
		{"windows()/amd64", "unknown operating system", "windows/ARCH:LTSC"},
		{"windows(10.0)/amd64", "unknown Windows release", "10.0.17763"},
		{"windows(10.0.17763)/amd64:ltsc2019", "unknown operating system", "windows/ARCH:LTSC"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			p, err := platform.Parse(tc.in)
			if err == nil {
				t.Fatalf("Parse accepts it as %+v", p)
			}
			for _, want := range []string{tc.says, tc.remedy, `"` + tc.in + `"`} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestSame(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"linux/amd64", "linux/amd64", true},
		{"linux/amd64", "linux/arm64", false},
		{"linux/amd64", "windows/amd64:ltsc2022", false},
		{"linux/arm64", "linux/arm64/v8", true},
		{"linux/arm/v7", "linux/arm/v6", false},
		{"linux/arm", "linux/arm/v7", true},
		{"windows/amd64:ltsc2022", "windows/amd64:10.0.20348.2113", true},
		{"windows/amd64:10.0.20348.1", "windows/amd64:10.0.20348.2113", true},
		{"windows/amd64:ltsc2019", "windows/amd64:ltsc2022", false},
		{"windows/amd64:ltsc2025", "windows/arm64:ltsc2025", false},
	} {
		a, b := parse(t, tc.a), parse(t, tc.b)
		if platform.Same(a, b) != tc.want || platform.Same(b, a) != tc.want {
			t.Errorf("Same(%s, %s) and the reverse give %t, %t; want %t", tc.a, tc.b, platform.Same(a, b),
				platform.Same(b, a), tc.want)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, tc := range []struct {
		version, release, short string
		build                   int
	}{
		{"10.0.17763.6893", "ltsc2019", "10.0.17763", 17763},
		{"10.0.26100", "ltsc2025", "10.0.26100", 26100},
		{"10.0.19041.264", "10.0.19041", "10.0.19041", 19041},
		{"10.0", "10.0", "10.0", 0},
		{"", "", "", 0},
		{"10.0.x", "10.0.x", "10.0.x", 0},
	} {
		if got := platform.Release(tc.version); got != tc.release {
			t.Errorf("Release(%q) is %q, want %q", tc.version, got, tc.release)
		}
		if got := platform.Short(tc.version); got != tc.short {
			t.Errorf("Short(%q) is %q, want %q", tc.version, got, tc.short)
		}
		if got := platform.Build(tc.version); got != tc.build {
			t.Errorf("Build(%q) is %d, want %d", tc.version, got, tc.build)
		}
	}
}

func windows(version string) platform.Platform {
	return platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
}

func parse(tb testing.TB, s string) platform.Platform {
	tb.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
