package platform

import (
	"strconv"
	"strings"
)

// LTSCRelease is a Long-Term Servicing Channel release of Windows Server.
type LTSCRelease struct {
	Name    string // as in Microsoft's image tags: "ltsc2022"
	Version string // major.minor.build, as in os.version without its revision: "10.0.20348"
	// Oldest is the build of the oldest images that hosts of this release run besides their
	// own. It also applies to hosts of every build up to the next release. It is 0 if an image
	// must have exactly the host's build. ltsc2025 is the first release that runs images of the
	// one before it.
	Oldest int
}

// LTSC lists the releases that images are made for, oldest first
// (https://learn.microsoft.com/windows-server/get-started/windows-server-release-info). To add
// a release, add a line: everything that depends on releases, such as [Runs], reads this table.
var LTSC = []LTSCRelease{
	{"ltsc2019", "10.0.17763", 0},
	{"ltsc2022", "10.0.20348", 20348},
	{"ltsc2025", "10.0.26100", 20348},
}

// Build returns the release's build number: 20348 for ltsc2022.
func (r LTSCRelease) Build() int { return Build(r.Version) }

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

// Short returns a Windows version without its revision: 10.0.17763 for 10.0.17763.6893.
func Short(osVersion string) string {
	parts := strings.Split(osVersion, ".")
	return strings.Join(parts[:min(3, len(parts))], ".")
}

// Build returns the build number of a Windows version, 17763 for 10.0.17763.6893, or 0 if it has
// none.
func Build(osVersion string) int {
	parts := strings.Split(osVersion, ".")
	if len(parts) < 3 {
		return 0
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return 0
	}
	return n
}

// Same reports whether a and b have equal OS, architecture, variant and features and, for Windows,
// the same build. It ignores the revision, as containerd does when it compares hosts. An empty
// variant of arm64 is v8.
func Same(a, b Platform) bool { return a.Canonical() == b.Canonical() }

// Canonical returns p as hosts distinguish it from others: two platforms that are the [Same] have
// equal canonical ones.
func (p Platform) Canonical() Platform {
	if p.Architecture == "arm64" && p.Variant == "v8" {
		p.Variant = ""
	}
	if p.OS == Windows {
		p.OSVersion, p.OSFeatures = Short(p.OSVersion), withoutWin32k(p.OSFeatures)
	} else {
		p.OSVersion = ""
	}
	return p
}
