package platform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"

	"github.com/slipway-dev/slipway/platform"
)

// hosts returns platforms at the limits of the rule: Windows versions around each release, of
// clients and of the annual channel, with and without a revision, and versions that Windows 10
// and later do not have.
func hosts() []platform.Platform {
	versions := []string{
		"", "6.3.9600", "10.0.14393.1", "10.0.18363.1", "10.0.19041.1", "10.0.19045.9", "10.0.22621.1",
		"10.0.22631.4", "10.0.25398.1", "10.0.25398",
		"10.0.26200.1", "10.0.28000.1", "10.0.65535", "11.0.26100.1", "10.1.20348",
	}
	for _, r := range platform.LTSC {
		for _, d := range []int{-1, 0, 1} {
			versions = append(versions, fmt.Sprintf("10.0.%d", r.Build()+d),
				fmt.Sprintf("10.0.%d.%d", r.Build()+d, 4773))
		}
	}
	var all []platform.Platform
	for _, v := range versions {
		all = append(all, windows(v))
	}
	return append(all, platform.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100.1"},
		platform.Platform{OS: "linux", Architecture: "amd64"}, platform.Platform{OS: "linux", Architecture: "arm64"},
		platform.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"},
		platform.Platform{OS: "linux", Architecture: "arm", Variant: "v7"})
}

// TestRuns compares the rule with containerd's for every pair of a host and an image.
func TestRuns(t *testing.T) {
	matched := 0
	for _, host := range hosts() {
		for _, image := range hosts() {
			m := matcher(host)
			if agree(t, m, host, image) {
				matched++
			}
		}
	}
	if matched < 200 {
		t.Errorf("only %d pairs fit", matched)
	}
}

// TestRunsEveryBuild compares the rule with containerd's for an image of every possible build,
// and a host of each generation.
func TestRunsEveryBuild(t *testing.T) {
	for _, host := range []string{"10.0.19045.9", "10.0.20348.1", "10.0.25398.1", "10.0.26100.1", "10.0.28000.1"} {
		m := matcher(windows(host))
		for build := range 1 << 16 {
			agree(t, m, windows(host), windows(fmt.Sprintf("10.0.%d", build)))
		}
	}
}

// FuzzRuns compares the rule with containerd's for all versions that both can read.
func FuzzRuns(f *testing.F) {
	f.Add("10.0.20348.1", "10.0.17763")
	f.Add("10.0.26100", "")
	f.Fuzz(func(t *testing.T, host, image string) {
		for _, v := range []string{host, image} {
			p, err := platform.Parse("windows/amd64:" + v)
			if v != "" && (err != nil || p.OSVersion != v || platform.Build(v) >= 1<<16 ||
				len(v) > 0 && len(strings.SplitN(v, ".", 2)[0]) > 2) {
				t.Skip() // containerd stores a build in 16 bits and major and minor in 8 each
			}
			if parts := strings.Split(v, "."); v != "" && len(parts[1]) > 2 {
				t.Skip()
			}
		}
		if host == "0.0.0" || strings.HasPrefix(host, "0.0.0.") {
			t.Skip() // containerd treats it as no version
		}
		agree(t, matcher(windows(host)), windows(host), windows(image))
	})
}

// TestMayMatch compares MayMatch with containerd's default matcher, which lists the variants
// of an architecture one by one.
func TestMayMatch(t *testing.T) {
	all := hosts()
	for _, s := range []string{
		"linux/386", "linux/amd64/v2", "linux/arm", "linux/arm/v6", "linux/arm64/v9",
		"linux/s390x",
	} {
		all = append(all, parse(t, s))
	}
	all = append(all, platform.Platform{OS: "windows", Architecture: "386", OSVersion: "10.0.20348.1"},
		platform.Platform{OS: "unknown", Architecture: "unknown"}, platform.Platform{})
	var beyond int
	for _, host := range all[:len(all)-2] { // a host is never of an unknown platform
		m := platforms.Only(spec(host))
		for _, image := range all {
			got, want := platform.MayMatch(host, image), m.Match(spec(image))
			varied := strings.HasPrefix(image.Architecture, "arm") || image.Variant != "" || host.Variant != ""
			if got != want && (!varied || !got) {
				t.Errorf("a host of %s considers %s: %v, containerd: %v", host.String(), image.String(), got, want)
			}
			if got && !platform.Runs(host, image) {
				beyond++
			}
		}
	}
	if beyond < 3 {
		t.Errorf("only %d images are considered that the hosts do not run", beyond)
	}
	for _, pair := range [][2]string{
		{"linux/arm64", "linux/amd64"},
		{"linux/amd64", "linux/arm64"},
		{"linux/386", "linux/amd64"},
		{"linux/arm/v7", "linux/arm64"},
		{"linux/arm64", "linux/386"},
	} {
		if platform.MayMatch(parse(t, pair[0]), parse(t, pair[1])) {
			t.Errorf("a host of %s considers %s", pair[0], pair[1])
		}
	}
}

func matcher(host platform.Platform) platforms.Matcher { return platforms.Only(spec(host)) }

func agree(t *testing.T, m platforms.Matcher, host, image platform.Platform) bool {
	t.Helper()
	want := m.Match(platforms.Normalize(spec(image)))
	if got := platform.Runs(host, image); got != want {
		t.Errorf("a host of %s runs %s: %v, containerd says %v", host.String(), image.String(), got, want)
	}
	return want
}

// TestProcessIsolation checks the column for process isolation of Microsoft's table
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
func TestProcessIsolation(t *testing.T) {
	images := []string{"10.0.14393", "10.0.17763", "10.0.20348", "10.0.25398", "10.0.26100"}
	for _, tc := range []struct{ host, want string }{
		{"10.0.14393", "x...."},
		{"10.0.17763", ".x..."},
		{"10.0.20348", "..x.."},
		{"10.0.22621", "..x.."}, // Windows 11
		{"10.0.25398", "..xx."},
		{"10.0.26100", "..xxx"},
		{"10.0.26200", "..xxx"}, // Windows 11
	} {
		got := ""
		for _, i := range images {
			if platform.Runs(windows(tc.host+".1"), windows(i+".2")) {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != tc.want {
			t.Errorf("a host of %s runs %s of %s, want %s", tc.host, got, images, tc.want)
		}
	}
	arm := platform.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100.1"}
	linux := platform.Platform{OS: "linux", Architecture: "amd64"}
	if platform.Runs(arm, windows("10.0.26100.1")) || platform.Runs(windows("10.0.26100.1"), linux) {
		t.Error("a host runs another architecture or operating system")
	}
	if !platform.Runs(windows("10.0.26100.1"), windows("")) || !platform.Runs(linux, linux) {
		t.Error("an image without a version does not run, or Linux not on Linux")
	}
}

// TestNextRelease checks that a new release needs one more line in LTSC and nothing else.
func TestNextRelease(t *testing.T) {
	old := platform.LTSC
	defer func() { platform.LTSC = old }()
	platform.LTSC = append(slices.Clone(old),
		platform.WindowsRelease{Name: "ltsc2028", Version: "10.0.30000", Oldest: 26100})
	next := parse(t, "windows/amd64:ltsc2028")
	if got := next.String() + " " + next.Slug(); got != "windows/amd64:ltsc2028 windows-ltsc2028-amd64" {
		t.Errorf("it is written %s", got)
	}
	var runs []string
	for _, r := range platform.LTSC {
		if platform.Runs(next, windows(r.Version+".1")) {
			runs = append(runs, r.Name)
		}
	}
	if !slices.Equal(runs, []string{"ltsc2025", "ltsc2028"}) {
		t.Errorf("its hosts run %s", runs)
	}
	if n := platform.Best(windows("10.0.30001"),
		[]platform.Platform{windows("10.0.20348.1"), windows("10.0.26100.1")}); n != 1 {
		t.Errorf("a host after it takes %d", n)
	}
	if !platform.Runs(windows("10.0.29999"), windows("10.0.20348.1")) || platform.Runs(windows("10.0.26100"), next) {
		t.Error("hosts before it follow it")
	}
	if _, err := platform.Parse("windows/amd64"); err == nil || !strings.Contains(err.Error(), "ltsc2028") {
		t.Errorf("the error %v does not name it", err)
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
			var images []platform.Platform
			for _, v := range tc.images {
				images = append(images, windows(v))
			}
			if got := platform.Best(windows(tc.host), images); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

// TestBestAsContainerd compares Best with containerd's choice for every host and every set of
// releases that an index can have.
func TestBestAsContainerd(t *testing.T) {
	var versions []string
	for _, r := range platform.LTSC {
		versions = append(versions, r.Version+".100")
	}
	versions = append(versions, "10.0.25398.1643", "10.0.22621.1", "10.0.19041.1415")
	for set := range 1 << len(versions) {
		var images []platform.Platform
		for n, v := range versions {
			if set>>n&1 == 1 {
				images = append(images, windows(v))
			}
		}
		platform.Sort(images)
		for _, host := range hosts() {
			if host.OS != "windows" || host.OSVersion == "" {
				continue
			}
			m, want := platforms.OnlyStrict(spec(host)), -1
			for n, i := range images {
				if m.Match(spec(i)) && (want < 0 || m.Less(spec(i), spec(images[want]))) {
					want = n
				}
			}
			if got := platform.Best(host, images); got != want {
				t.Errorf("of %v a host of %s takes %d, containerd %d", images, host.OSVersion, got, want)
			}
		}
	}
}
