package imagetag_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/imagetag"
)

// registry has the tags of several images.
var registry = strings.Fields(`
	latest main sha-7188425 stable edge v1 1 2 20251112 20251113 2025.11.1 2025.11.2 24.04 24.10 20.04 2025-11-12
	v1.33.9 v1.34.0 v1.34.2 v1.34.3 v1.34.10 v1.35.0 v1.35.0-rc.1 v1.35.0-alpha.3 v1.36.0-rc.0 v2.0.0 v1.34.x v1.34.3.
	1.34.2 1.34.4 1.34.5-rc.1 1.2 1.3 1.10 v1.2 v1.4 2.1
	1.27.1-alpine 1.27.2-alpine 1.28.0-alpine 1.27.3-alpine3.20 1.27.9-alpine-slim 1.27.9_alpine 1.27.4-rc1-alpine
	8.0.1-nanoserver-ltsc2022 8.0.3-nanoserver-ltsc2022 8.0.9-nanoserver-ltsc2025 8.0.9-nanoserver-1809 8.0.1-nanoserver-1809
	ltsc2019 ltsc2022 ltsc2025 1809 20H2 10.0.17763.6893 10.0.17763.8389 10.0.20348.4773 10.0.20348.4900 10.0.20348.4900-amd64 10.0.20348 10.0.26100
	v1.34.2-rke2r1-build20251112 v1.34.2-rke2r1-build20251210 v1.34.3-rke2r1-build20251201 v1.34.3-rke2r2-build20251202
	v9.1.0-build9 v9.1.0-build10 v9.1.0_build11
	v2.1.5-k3s1-build20251106-amd64-windows v2.1.6-k3s1-build20251106-amd64-windows v2.1.6-k3s1-build20251106
	3.14.0 3.14.1 3.15.0a1 3.15.0b2 3.15.0rc1 3.15.0rc10 3.15.0rc2 3.15.0b3-slim
	1.1.1 1.1.1a 1.1.1c 1.1.2a
	1.0.0-beta 1.0.0-rc1 1.0.0-rc-2 1.0.0-rc.3 1.0.0-SNAPSHOT 1.0.0-dev.7
	0.0.0-20251112103000-abcdef 0.0.0-20251113103000-abcdee 99999999999.1.2 1.99999999999.2 1.9999999999999999999999.2
	12.13.14.15 12.13.14.16 12.13.15.0 12.14.0.0 12.13.14.15.16 7.1.0-feature1 7.2.0-feature1 7.3.0
`)

// TestNewer raises tags. The tags in the result are the newest by patch and by minor, - where a tag
// stays.
func TestNewer(t *testing.T) {
	for tag, want := range map[string]string{
		// Kubernetes: three numbers and a v, which all others must have, too.
		"v1.34.2": "v1.34.10 v1.35.0", "v1.34.10": "- v1.35.0", "v1.35.0": "- -", "v2.0.0": "- -",
		"1.34.2": "1.34.4 1.34.4", "v0.1.2": "- -",
		// Two numbers have no patch.
		"1.2": "- 1.10", "v1.2": "- v1.4", "2.1": "- -",
		// One number is a major version or a date.
		"v1": "- -", "1": "- -", "20251112": "- -", "2025.11.1": "- -", "24.04": "- -", "20.04": "- -",
		"2025-11-12": "- -",
		"latest":     "- -", "main": "- -", "stable": "- -", "sha-7188425": "- -", "": "- -",
		// Words behind the version stay equal.
		"1.27.1-alpine": "1.27.2-alpine 1.28.0-alpine", "1.27.3-alpine3.20": "- -", "1.27.9-alpine-slim": "- -",
		"7.1.0-feature1":            "- 7.2.0-feature1",
		"8.0.1-nanoserver-ltsc2022": "8.0.3-nanoserver-ltsc2022 8.0.3-nanoserver-ltsc2022",
		"8.0.1-nanoserver-1809":     "8.0.9-nanoserver-1809 8.0.9-nanoserver-1809",
		// Windows: another build is another system.
		"ltsc2019": "- -", "1809": "- -", "20H2": "- -", "10.0.17763.6893": "10.0.17763.8389 10.0.17763.8389",
		"10.0.20348.4773": "10.0.20348.4900 10.0.20348.4900", "10.0.20348.4900": "- -", "10.0.20348": "- -",
		// Builds of one version.
		"v1.34.2-rke2r1-build20251112": "v1.34.3-rke2r1-build20251201 v1.34.3-rke2r1-build20251201",
		"v1.34.3-rke2r1-build20251201": "- -",
		"v9.1.0-build9":                "v9.1.0-build10 v9.1.0-build10", "v9.1.0-build10": "- -",
		"v2.1.5-k3s1-build20251106-amd64-windows": "v2.1.6-k3s1-build20251106-amd64-windows " +
			"v2.1.6-k3s1-build20251106-amd64-windows",
		// Prereleases become newer ones, and releases; releases become releases.
		"v1.35.0-alpha.3": "v1.35.0 v1.36.0-rc.0", "v1.36.0-rc.0": "- -", "3.14.0": "3.14.1 3.14.1",
		"3.15.0a1": "3.15.0rc10 3.15.0rc10", "3.15.0rc2": "3.15.0rc10 3.15.0rc10",
		"3.15.0b3-slim": "- -", "1.0.0-SNAPSHOT": "1.0.0-rc.3 1.34.5-rc.1", "1.0.0-rc-2": "1.0.0-rc.3 1.34.5-rc.1",
		"1.27.4-rc1-alpine":           "- 1.28.0-alpine",
		"0.0.0-20251112103000-abcdef": "- -", "99999999999.1.2": "- -", "1.99999999999.2": "- -",
		"1.1.1a": "1.1.2a 1.1.2a", "1.1.1c": "- -",
		"12.13.14.15": "12.13.15.0 12.14.0.0", "12.13.14.15.16": "- -", "v1.34.x": "- -", "v1.34.3.": "- -",
	} {
		var got []string
		for _, level := range []imagetag.Level{imagetag.Patch, imagetag.Minor} {
			newest := "-"
			if list := imagetag.Newer(tag, registry, level); len(list) > 0 {
				newest = list[0].Tag
			}
			got = append(got, newest)
		}
		if is := strings.Join(got, " "); is != want {
			t.Errorf("%q becomes %s, want %s", tag, is, want)
		}
		if list := imagetag.Newer(tag, registry, imagetag.None); len(list) > 0 {
			t.Errorf("%q becomes %v, without a level", tag, list)
		}
	}
}

// TestNewerOrder lists all candidates, the newest first, with the reason of each.
func TestNewerOrder(t *testing.T) {
	var got []string
	for _, c := range imagetag.Newer("v1.34.0", append(slices.Clone(registry), registry...), imagetag.Minor) {
		got = append(got, c.Tag+" "+c.Level.String())
	}
	if want := []string{"v1.35.0 minor", "v1.34.10 patch", "v1.34.3 patch", "v1.34.2 patch"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLevel(t *testing.T) {
	for text, want := range map[string]string{
		"patch": "", "minor": "",
		"major": `"major" is not a level: write patch or minor`, "": `"" is not a level: write patch or minor`,
	} {
		var l imagetag.Level
		err := l.UnmarshalText([]byte(text))
		if err == nil && l.String() != text || err != nil && err.Error() != want || (err == nil) != (want == "") {
			t.Errorf("%q is %v, %v", text, l, err)
		}
	}
}

// FuzzNewer: the order of any tags is one, and what is newer has the same form.
func FuzzNewer(f *testing.F) {
	for n, tag := range registry {
		f.Add(tag, registry[(n+1)%len(registry)], registry[(n*7+3)%len(registry)])
	}
	f.Add("1.2.3-rc", "1.2.3-rc.1", "1.2.3-build1-build2")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		newer := func(x, y string) bool { return len(imagetag.Newer(x, []string{y}, imagetag.Minor)) > 0 }
		switch {
		case newer(a, a):
			t.Errorf("%q is newer than itself", a)
		case newer(a, b) && newer(b, a):
			t.Errorf("%q and %q are newer than each other", a, b)
		case newer(a, b) && newer(b, c) && !newer(a, c):
			t.Errorf("%q < %q < %q, but not %q < %q", a, b, c, a, c)
		case strings.HasPrefix(a, "v") != strings.HasPrefix(b, "v") && newer(a, b):
			t.Errorf("%q replaces %q", b, a)
		}
		if !newer(a, b) && len(imagetag.Newer(a, []string{b}, imagetag.Patch)) > 0 {
			t.Errorf("%q is a newer patch of %q, but no newer minor version", b, a)
		}
		list := imagetag.Newer(a, []string{b, c}, imagetag.Minor)
		if len(list) == 2 && newer(list[0].Tag, list[1].Tag) {
			t.Errorf("%q before %q", list[0].Tag, list[1].Tag)
		}
	})
}
