package platform

import (
	"slices"
	"strings"
)

// WindowsRelease is a release of Windows Server that images have been made for.
type WindowsRelease struct {
	Name    string // as in Microsoft's image tags: "ltsc2022"; empty if no tag has one
	Version string // major.minor.build, as in os.version without its revision: "10.0.20348"
	// Oldest is the build of the oldest images that hosts of this release, and of every build up
	// to the next release, run besides their own; 0 if an image must have exactly the host's
	// build. ltsc2025 is the first release that runs images of its predecessor.
	Oldest int
	// Current marks a release of the Long-Term Servicing Channel that images are made for.
	Current bool
	Support Support
}

// WindowsReleases are all releases, oldest first, with the days until which Microsoft supports
// them (https://learn.microsoft.com/windows-server/get-started/windows-server-release-info; 23H2:
// https://support.microsoft.com/servicing/os/windows-server/2026/05/end-of-updates-statement; the
// days were compared with those of endoflife.date of August 2026). To add a release, add a line:
// everything that depends on releases, such as [Runs], reads this table.
var WindowsReleases = []WindowsRelease{
	{"ltsc2016", "10.0.14393", 0, false, Support{"Windows Server 2016", "2022-01-11", "2027-01-12"}},
	{"1709", "10.0.16299", 0, false, Support{"Windows Server, version 1709", "2019-04-09", ""}},
	{"1803", "10.0.17134", 0, false, Support{"Windows Server, version 1803", "2019-11-12", ""}},
	{"ltsc2019", "10.0.17763", 0, true, Support{"Windows Server 2019", "2024-01-09", "2029-01-09"}},
	{"1903", "10.0.18362", 0, false, Support{"Windows Server, version 1903", "2020-12-08", ""}},
	{"1909", "10.0.18363", 0, false, Support{"Windows Server, version 1909", "2021-05-11", ""}},
	{"2004", "10.0.19041", 0, false, Support{"Windows Server, version 2004", "2021-12-14", ""}},
	{"20h2", "10.0.19042", 0, false, Support{"Windows Server, version 20H2", "2022-08-09", ""}},
	{"ltsc2022", "10.0.20348", 20348, true, Support{"Windows Server 2022", "2026-10-13", "2031-10-14"}},
	{"", "10.0.25398", 0, false, Support{"Windows Server, version 23H2", "2026-05-12", ""}},
	{"ltsc2025", "10.0.26100", 20348, true, Support{"Windows Server 2025", "2029-11-13", "2034-11-14"}},
}

// LTSC lists the releases of [WindowsReleases] that images are made for, oldest first.
var LTSC = slices.DeleteFunc(slices.Clone(WindowsReleases), func(r WindowsRelease) bool { return !r.Current })

// Build returns the release's build number: 20348 for ltsc2022.
func (r WindowsRelease) Build() int { return Build(r.Version) }

// FindWindows returns the release that a Windows version of three or four parts belongs to.
func FindWindows(osVersion string) (WindowsRelease, bool) {
	n := slices.IndexFunc(WindowsReleases, func(r WindowsRelease) bool { return r.Version == Short(osVersion) })
	if n < 0 {
		return WindowsRelease{}, false
	}
	return WindowsReleases[n], true
}

func names() []string {
	var s []string
	for _, r := range LTSC {
		s = append(s, r.Name)
	}
	return s
}

// ltscName returns the name of the release that has a version of three parts, or the version.
func ltscName(version string) string {
	for _, r := range LTSC {
		if r.Version == version {
			return r.Name
		}
	}
	return version
}

// ltscVersion returns the version of the release of a name, or the name.
func ltscVersion(name string) string {
	for _, r := range LTSC {
		if r.Name == name {
			return r.Version
		}
	}
	return name
}

// Release returns the LTSC name of a Windows version of three or four parts, or the version's
// first three parts if it has no such name.
func Release(osVersion string) string { return ltscName(Short(osVersion)) }

// version1809 is the name that ltsc2019 had in image tags before it had that one. See
// https://mcr.microsoft.com/en-us/artifact/mar/windows/nanoserver/tags.
const version1809 = "1809"

// named returns the version of the release that has a name in image tags; "" for none.
func named(tag string) string {
	if tag == version1809 {
		tag = "ltsc2019"
	}
	for _, r := range slices.Concat(WindowsReleases, LTSC) {
		if r.Name == tag && tag != "" {
			return r.Version
		}
	}
	return ""
}

var (
	tagVersion = expression(`^10\.0\.[1-9][0-9]{4}(\.[0-9]+)?$`)
	shortName  = expression(`^[0-9]{4}$`)
)

// editions lists the words after which four digits in a tag name a Windows release, as in
// nanoserver-1809.
var editions = []string{"nanoserver", "servercore", "windowsservercore", "windows"}

// TagVersion returns the Windows version, in three parts, that an image's tag names: 10.0.17763
// for ltsc2019, 1809-amd64, 10.0.17763.6893 and 8.0-nanoserver-1809; "" for a tag
// without a version. A word of four digits counts only after the name of an edition, or at the
// beginning of a tag if nothing or an architecture follows. Elsewhere it may mean anything.
func TagVersion(tag string) string {
	words := strings.Split(strings.ToLower(tag), "-")
	for n, w := range words {
		if shortName().MatchString(w) {
			first := n == 0 && (len(words) == 1 || slices.Contains(architectures[Windows], words[1]))
			if !first && (n == 0 || !slices.Contains(editions, words[n-1])) {
				continue
			}
		}
		if tagVersion().MatchString(w) {
			return Short(w)
		}
		if v := named(w); v != "" {
			return v
		}
	}
	return ""
}
