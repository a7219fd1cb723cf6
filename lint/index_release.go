package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

// ended reports entries for releases of Windows that Microsoft supports no more.
func (j *judging) ended() {
	for n := range j.index.Entries {
		p := j.index.platform(n)
		if p.OS != platform.Windows {
			continue
		}
		if r, ok := platform.FindWindows(p.OSVersion); ok && r.Support.Ended(j.options.Now) {
			j.add("index-windows-ended", n, "%s", r.Support.State(j.options.Now))
		}
	}
}

// windows looks at the Windows images together, also those of an index in the index.
func (j *judging) windows() {
	images := slices.DeleteFunc(j.index.Platforms(), func(p platform.Platform) bool { return p.OS != windows })
	switch {
	case len(images) == 0:
		return
	case j.index.Single:
		j.add("index-single", -1, "")
		return
	}
	if j.index.Scope != Audited {
		return // see builds
	}
	for _, r := range platform.LTSC {
		host := platform.Platform{OS: windows, Architecture: images[0].Architecture, OSVersion: r.Version}
		has := func(p platform.Platform) bool { return p.OSVersion == "" || platform.Same(p, host) }
		if slices.ContainsFunc(images, has) {
			continue
		}
		if best := platform.Best(host, images); best >= 0 {
			j.add("index-windows-release", -1, "it has no entry for %s; hosts of that release run the one for %s",
				r.Name, platform.Release(images[best].OSVersion))
		} else {
			j.add("index-windows-release", -1,
				"it has no entry for %s, and hosts of that release run none of the others", r.Name)
		}
	}
}
