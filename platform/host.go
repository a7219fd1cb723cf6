package platform

import (
	"strings"
)

// Runs reports whether a host runs images made for another platform. Outside Windows it must be
// the [Same] platform. On Windows it decides as containerd/platforms v1 does, for containers that
// share the host's kernel: from the oldest build that the host's release still serves up to the
// host's own; [LTSC] has the numbers
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
// Runtimes choose from an index by this rule under Hyper-V and for HostProcess containers, too.
// An image without a version runs on every host, and a host without one runs every image.
func Runs(host, image Platform) bool {
	if host.OS != Windows || image.OS != Windows {
		return Same(host, image)
	}
	if host.Architecture != image.Architecture || variant(host) != variant(image) {
		return false
	}
	if image.OSVersion == "" || host.OSVersion == "" {
		return true
	}
	h, i := Build(host.OSVersion), Build(image.OSVersion)
	return kernel(host.OSVersion) == kernel(image.OSVersion) && (i == h || oldest(h) <= i && i <= h)
}

// compat32 is the architecture whose programs another one runs, too.
var compat32 = map[string]string{"amd64": "386", "arm64": "arm"}

// MayMatch reports whether containerd on a host may look at an image made for another platform
// before it chooses the [Best]: one that the host [Runs], and what its default matcher lets
// through besides, any variant of the host's architecture and of the 32-bit one. It is true of
// all that any containerd looks at, and may be of more, where platforms are written as OCI has
// them (amd64, not x86_64).
func MayMatch(host, image Platform) bool {
	if a := image.Architecture; a == "" || a != host.Architecture && a != compat32[host.Architecture] {
		return false
	}
	image.Architecture, image.Variant = host.Architecture, host.Variant
	return Runs(host, image)
}

// Best returns which of the images a host takes: that of its own build, or else the newest that
// it [Runs], of which one without a version is the last; -1 where it runs none.
func Best(host Platform, images []Platform) int {
	best := -1
	for n, i := range images {
		if Same(host, i) {
			return n
		}
		if Runs(host, i) && (best < 0 || compareVersions(i.OSVersion, images[best].OSVersion) > 0) {
			best = n
		}
	}
	return best
}

// oldest is the oldest build that a host runs, besides its own: that of the release it belongs to.
func oldest(host int) int {
	from := host
	for _, r := range LTSC {
		if r.Oldest > 0 && r.Build() <= host {
			from = r.Oldest
		}
	}
	return from
}

// kernel is major.minor of a Windows version.
func kernel(osVersion string) string {
	parts := strings.Split(osVersion, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}
