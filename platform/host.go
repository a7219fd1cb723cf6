package platform

import (
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Stable is the first Windows build whose hosts run images of other builds, too.
const Stable = 20348

// Runs reports whether a host runs images made for another platform, or for its own. Outside Windows it must be the [Same] system. A
// Windows host before Server 2022 runs its own build only; later ones run every build from the LTSC release before their own up to
// theirs (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility), which is also what
// containerd/platforms v1 decides. An image without a version is let through everywhere.
func Runs(host, image v1.Platform) bool {
	if host.OS != Windows || image.OS != Windows {
		return Same(host, image)
	}
	if host.Architecture != image.Architecture || variant(host) != variant(image) {
		return false
	}
	h, i := Build(host.OSVersion), Build(image.OSVersion)
	switch {
	case image.OSVersion == "":
		return true
	case kernel(host.OSVersion) != kernel(image.OSVersion):
		return false
	case h < Stable:
		return h == i
	}
	return oldest(h) <= i && i <= h
}

// Best returns which of the images a host takes: that of its own build, or else the newest that it [Runs], of which one without a
// version is the last; -1 where it runs none.
func Best(host v1.Platform, images []v1.Platform) int {
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

// oldest is the oldest build that a host of a stable build runs: that of the LTSC release before the host's own.
func oldest(host int) int {
	from, own := Stable, Stable
	for _, r := range LTSC {
		if b := Build(r.Version); b > Stable && b <= host {
			from, own = own, b
		}
	}
	return from
}

// kernel is major.minor of a Windows version.
func kernel(osVersion string) string {
	parts := strings.Split(osVersion, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}
