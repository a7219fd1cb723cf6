package platform

import (
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Isolation is how a Windows container is kept apart from its host
// (https://learn.microsoft.com/virtualization/windowscontainers/manage-containers/hyperv-container).
// It decides which images a host can run.
type Isolation string

// The isolations that Kubernetes knows: Process is the one that a pod gets without asking, HyperV
// comes by a RuntimeClass, HostProcess by securityContext.windowsOptions.hostProcess.
const (
	Process     Isolation = "process"
	HyperV      Isolation = "hyperv"
	HostProcess Isolation = "hostprocess"
)

// isolations say for each isolation whether a host's build runs an image's; [LTSC] has the
// numbers
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
var isolations = map[Isolation]func(host, image int) bool{
	// The container shares the host's kernel: from the oldest that the host's release still
	// serves, up to the host's own.
	Process: func(host, image int) bool { return image == host || oldest(host) <= image && image <= host },
	// The container has a kernel of its own, which must not be newer than the host's.
	HyperV: func(host, image int) bool { return image <= host },
	// The container is a process of the host and uses nothing of its image's system.
	HostProcess: func(int, int) bool { return true },
}

// Runs reports whether a host runs images made for another platform, or for its own, without
// Hyper-V. Outside Windows it must be the [Same] system. On Windows it is what
// containerd/platforms v1 decides, which knows no other isolation; that lets an image without a
// version through everywhere, and a host without one takes everything.
func Runs(host, image v1.Platform) bool { return RunsIn(Process, host, image) }

// RunsIn is [Runs] for one isolation, which only Windows has; an unknown one runs nothing. What
// containerd pulls out of an index is decided by [Process] for all of them.
func RunsIn(i Isolation, host, image v1.Platform) bool {
	if host.OS != Windows || image.OS != Windows {
		return Same(host, image)
	}
	runs, ok := isolations[i]
	if !ok || host.Architecture != image.Architecture || variant(host) != variant(image) {
		return false
	}
	if image.OSVersion == "" || host.OSVersion == "" || i == HostProcess {
		return true
	}
	return kernel(host.OSVersion) == kernel(image.OSVersion) && runs(Build(host.OSVersion), Build(image.OSVersion))
}

// narrower is the architecture whose programs another one runs, too.
var narrower = map[string]string{"amd64": "386", "arm64": "arm"}

// Considers reports whether containerd on a host may look at an image made for another platform
// before it chooses the [Best]: one that the host [Runs], and what its default matcher lets
// through besides, any variant of the host's architecture and of the 32-bit one. It is true of
// all that any containerd looks at, and may be of more, where platforms are written as OCI has
// them (amd64, not x86_64).
func Considers(host, image v1.Platform) bool {
	if a := image.Architecture; a == "" || a != host.Architecture && a != narrower[host.Architecture] {
		return false
	}
	image.Architecture, image.Variant = host.Architecture, host.Variant
	return Runs(host, image)
}

// Best returns which of the images a host takes: that of its own build, or else the newest that
// it [Runs], of which one without a version is the last; -1 where it runs none.
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
