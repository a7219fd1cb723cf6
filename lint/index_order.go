package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

// misled is a host that takes another image of an index than the one for it, since it chooses by
// their order.
type misled struct {
	host        platform.Platform
	taken, best int // indexes of images
	by          string
}

// Misordered reports whether Windows hosts that choose by the order of images, as an index lists
// them, take another one than the newest that they run. Images without a version are another
// fault: hosts take any of them.
func Misordered(images []platform.Platform) bool { return len(mislead(images)) > 0 }

// mislead returns the hosts of the releases that images are made for that an order misleads:
//
//   - containerd before 2.2 (github.com/containerd/platforms before 1.0.0-rc.2), and Docker with
//     containerd's store, take the first image that they run;
//   - Docker takes the one for the host's own build, or else the first that is not for a newer one,
//     also if it cannot run it (distribution/pull_v2_windows.go).
func mislead(images []platform.Platform) (all []misled) {
	for _, r := range platform.LTSC {
		for _, architecture := range []string{"amd64", "arm64"} { // hosts with Windows have no other
			host := platform.Platform{OS: windows, Architecture: architecture, OSVersion: r.Version}
			first := func(by string, fits func(platform.Platform) bool) {
				best, n := platform.Best(host, images), slices.IndexFunc(images, fits)
				if best >= 0 && n >= 0 && images[n].OSVersion != "" && !platform.Same(images[n], images[best]) {
					all = append(all, misled{host, n, best, by})
				}
			}
			first("containerd before 2.2, and Docker with containerd's store,",
				func(p platform.Platform) bool { return platform.Runs(host, p) })
			if slices.ContainsFunc(images, func(p platform.Platform) bool { return platform.Same(host, p) }) {
				continue
			}
			first("Docker", func(p platform.Platform) bool {
				return p.System() == host.System() && platform.Build(p.OSVersion) <= r.Build()
			})
		}
	}
	return all
}

// order looks for Windows entries that stand before the one for a host.
func (j *judging) order() {
	var all []platform.Platform
	for n := range j.index.Entries {
		all = append(all, j.index.platform(n))
	}
	for _, m := range mislead(all) {
		what := "takes this entry on hosts of %s, and not the one for %s, which is behind it"
		if !platform.Runs(m.host, all[m.taken]) {
			what = "takes this entry on hosts of %s, which do not run it; the one for %s is behind it"
		}
		j.add("index-order", m.taken, m.by+" "+what, platform.Release(m.host.OSVersion),
			platform.Release(all[m.best].OSVersion))
	}
}
