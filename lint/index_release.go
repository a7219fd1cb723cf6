package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

// windows looks at the Windows entries together.
func (j *judging) windows() {
	var on []platform.Platform
	for n := range j.index.Entries {
		p := j.index.platform(n)
		if p.OS != platform.Windows {
			continue
		}
		on = append(on, p)
		if r, ok := platform.FindWindows(p.OSVersion); ok && r.Support.Ended(j.options.Now) {
			j.add("index-windows-ended", n, "%s", r.Support.State(j.options.Now))
		}
	}
	switch {
	case len(on) == 0:
		return
	case j.index.Single:
		j.add("index-single", -1, "")
		return
	}
	if j.index.Scope != Audited {
		return // see builds
	}
	for _, r := range platform.LTSC {
		host := platform.Platform{OS: platform.Windows, Architecture: on[0].Architecture, OSVersion: r.Version}
		has := func(p platform.Platform) bool { return p.OSVersion == "" || platform.Same(p, host) }
		if slices.ContainsFunc(on, has) {
			continue
		}
		if best := platform.Best(host, on); best >= 0 {
			j.add("index-windows-release", -1, "it has no entry for %s; hosts of that release run the one for %s",
				r.Name, platform.Release(on[best].OSVersion))
		} else {
			j.add("index-windows-release", -1,
				"it has no entry for %s, and hosts of that release run none of the others", r.Name)
		}
	}
}
