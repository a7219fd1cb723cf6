package platform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// hosts are systems on which the rule turns: around each release, those of clients and of the
// annual channel, with and without a revision, and what is no version of Windows 10 and later.
func hosts() []v1.Platform {
	versions := []string{
		"", "6.3.9600", "10.0.14393.1", "10.0.18363.1", "10.0.19041.1", "10.0.19045.9", "10.0.22621.1", "10.0.22631.4", "10.0.25398.1", "10.0.25398",
		"10.0.26200.1", "10.0.28000.1", "10.0.65535", "11.0.26100.1", "10.1.20348",
	}
	for _, r := range platform.LTSC {
		for _, d := range []int{-1, 0, 1} {
			versions = append(versions, fmt.Sprintf("10.0.%d", r.Build()+d), fmt.Sprintf("10.0.%d.%d", r.Build()+d, 4773))
		}
	}
	var all []v1.Platform
	for _, v := range versions {
		all = append(all, windows(v))
	}
	return append(all, v1.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100.1"},
		v1.Platform{OS: "linux", Architecture: "amd64"}, v1.Platform{OS: "linux", Architecture: "arm64"},
		v1.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"}, v1.Platform{OS: "linux", Architecture: "arm", Variant: "v7"})
}

// TestRuns holds the rule beside containerd's for every pair of a host and an image.
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

// TestRunsEveryBuild holds the rule beside containerd's for an image of every build that there
// can be, and a host of each generation.
func TestRunsEveryBuild(t *testing.T) {
	for _, host := range []string{"10.0.19045.9", "10.0.20348.1", "10.0.25398.1", "10.0.26100.1", "10.0.28000.1"} {
		m := matcher(windows(host))
		for build := range 1 << 16 {
			agree(t, m, windows(host), windows(fmt.Sprintf("10.0.%d", build)))
		}
	}
}

// FuzzRuns holds the rule beside containerd's for any versions that have one.
func FuzzRuns(f *testing.F) {
	f.Add("10.0.20348.1", "10.0.17763")
	f.Add("10.0.26100", "")
	f.Fuzz(func(t *testing.T, host, image string) {
		for _, v := range []string{host, image} {
			p, err := platform.Parse("windows/amd64:" + v)
			if v != "" && (err != nil || p.OSVersion != v || platform.Build(v) >= 1<<16 || len(v) > 0 && len(strings.SplitN(v, ".", 2)[0]) > 2) {
				t.Skip() // containerd keeps builds in 16 bits and what is before them in 8
			}
			if parts := strings.Split(v, "."); v != "" && len(parts[1]) > 2 {
				t.Skip()
			}
		}
		if host == "0.0.0" || strings.HasPrefix(host, "0.0.0.") {
			t.Skip() // containerd takes it for no version
		}
		agree(t, matcher(windows(host)), windows(host), windows(image))
	})
}

// TestConsiders holds what is considered beside containerd's default matcher, which takes
// variants of an architecture one by one.
func TestConsiders(t *testing.T) {
	all := hosts()
	for _, s := range []string{"linux/386", "linux/amd64/v2", "linux/arm", "linux/arm/v6", "linux/arm64/v9", "linux/s390x"} {
		all = append(all, parse(t, s))
	}
	all = append(all, v1.Platform{OS: "windows", Architecture: "386", OSVersion: "10.0.20348.1"}, v1.Platform{OS: "unknown", Architecture: "unknown"}, v1.Platform{})
	var beyond int
	for _, host := range all[:len(all)-2] { // no host is of an unknown system
		m := platforms.Only(spec(host))
		for _, image := range all {
			got, want := platform.Considers(host, image), m.Match(spec(image))
			varied := strings.HasPrefix(image.Architecture, "arm") || image.Variant != "" || host.Variant != ""
			if got != want && (!varied || !got) {
				t.Errorf("a host of %s considers %s: %v, containerd: %v", platform.Format(host), platform.Format(image), got, want)
			}
			if got && !platform.Runs(host, image) {
				beyond++
			}
		}
	}
	if beyond < 10 {
		t.Errorf("only %d images are considered that the hosts do not run", beyond)
	}
	for _, pair := range [][2]string{{"linux/arm64", "linux/amd64"}, {"linux/amd64", "linux/arm64"}, {"linux/386", "linux/amd64"}, {"linux/arm/v7", "linux/arm64"}, {"linux/arm64", "linux/386"}} {
		if platform.Considers(parse(t, pair[0]), parse(t, pair[1])) {
			t.Errorf("a host of %s considers %s", pair[0], pair[1])
		}
	}
}

func matcher(host v1.Platform) platforms.Matcher { return platforms.OnlyStrict(spec(host)) }

func agree(t *testing.T, m platforms.Matcher, host, image v1.Platform) bool {
	t.Helper()
	want := m.Match(platforms.Normalize(spec(image)))
	if got := platform.Runs(host, image); got != want {
		t.Errorf("a host of %s runs %s: %v, containerd says %v", platform.Format(host), platform.Format(image), got, want)
	}
	return want
}

// TestIsolations is Microsoft's table
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility):
// what runs as a process, what only under Hyper-V; and a HostProcess container, whose image is
// never looked at.
func TestIsolations(t *testing.T) {
	images := []string{"10.0.14393", "10.0.17763", "10.0.20348", "10.0.25398", "10.0.26100"}
	for _, tc := range []struct{ host, process, hyperV string }{
		{"10.0.14393", "x....", "x...."},
		{"10.0.17763", ".x...", "xx..."},
		{"10.0.20348", "..x..", "xxx.."},
		{"10.0.22621", "..x..", "xxx.."}, // Windows 11
		{"10.0.25398", "..xx.", "xxxx."},
		{"10.0.26100", "..xxx", "xxxxx"},
		{"10.0.26200", "..xxx", "xxxxx"}, // Windows 11
	} {
		for _, on := range []struct {
			isolation platform.Isolation
			want      string
		}{{platform.Process, tc.process}, {platform.HyperV, tc.hyperV}, {platform.HostProcess, "xxxxx"}, {"sandbox", "....."}} {
			got := ""
			for _, i := range images {
				if platform.RunsIn(on.isolation, windows(tc.host+".1"), windows(i+".2")) {
					got += "x"
				} else {
					got += "."
				}
			}
			if got != on.want {
				t.Errorf("a host of %s runs %s of %s in isolation %s, want %s", tc.host, got, images, on.isolation, on.want)
			}
		}
	}
	arm := v1.Platform{OS: "windows", Architecture: "arm64", OSVersion: "10.0.26100.1"}
	linux := v1.Platform{OS: "linux", Architecture: "amd64"}
	for _, i := range []platform.Isolation{platform.Process, platform.HyperV, platform.HostProcess} {
		if platform.RunsIn(i, arm, windows("10.0.26100.1")) || platform.RunsIn(i, windows("10.0.26100.1"), linux) {
			t.Errorf("in isolation %s another architecture or system runs", i)
		}
		if !platform.RunsIn(i, windows("10.0.26100.1"), windows("")) || !platform.RunsIn(i, linux, linux) {
			t.Errorf("in isolation %s an image without a version does not run, or Linux not on Linux", i)
		}
	}
}

// TestNextRelease holds that one more line is all that a new release takes.
func TestNextRelease(t *testing.T) {
	old := platform.LTSC
	defer func() { platform.LTSC = old }()
	platform.LTSC = append(slices.Clone(old), platform.LTSCRelease{Name: "ltsc2028", Version: "10.0.30000", Oldest: 26100})
	next := parse(t, "windows/amd64:ltsc2028")
	if got := platform.Format(next) + " " + platform.Slug(next); got != "windows/amd64:ltsc2028 windows-ltsc2028-amd64" {
		t.Errorf("it is written %s", got)
	}
	var runs []string
	for _, r := range platform.LTSC {
		if platform.Runs(next, windows(r.Version+".1")) {
			runs = append(runs, r.Name)
		}
		if !platform.RunsIn(platform.HyperV, next, windows(r.Version)) {
			t.Errorf("it does not run %s under Hyper-V", r.Name)
		}
	}
	if !slices.Equal(runs, []string{"ltsc2025", "ltsc2028"}) {
		t.Errorf("its hosts run %s", runs)
	}
	if n := platform.Best(windows("10.0.30001"), []v1.Platform{windows("10.0.20348.1"), windows("10.0.26100.1")}); n != 1 {
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

// TestBestAsContainerd holds the choice beside containerd's for every host and every set of
// releases that an index can have.
func TestBestAsContainerd(t *testing.T) {
	var versions []string
	for _, r := range platform.LTSC {
		versions = append(versions, r.Version+".100")
	}
	versions = append(versions, "10.0.25398.1643", "10.0.22621.1", "10.0.19041.1415")
	for set := range 1 << len(versions) {
		var images []v1.Platform
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
