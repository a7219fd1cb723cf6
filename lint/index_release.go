package lint

import (
	"slices"
	"time"

	"github.com/slipway-dev/slipway/platform"
)

// ended are releases of Windows that images were made for, by build, and the day after which
// Microsoft supports them no more (linkReleases, and
// https://learn.microsoft.com/lifecycle/products/windows-server).
var ended = map[int]struct{ name, end string }{
	14393: {"Windows Server 2016", "2027-01-12"},
	16299: {"Windows Server, version 1709", "2019-04-09"},
	17134: {"Windows Server, version 1803", "2019-11-12"},
	17763: {"Windows Server 2019", "2029-01-09"},
	18362: {"Windows Server, version 1903", "2020-12-08"},
	18363: {"Windows Server, version 1909", "2021-05-11"},
	19041: {"Windows Server, version 2004", "2021-12-14"},
	19042: {"Windows Server, version 20H2", "2022-08-09"},
	20348: {"Windows Server 2022", "2031-10-14"},
	25398: {"Windows Server, version 23H2", "2025-10-24"},
	26100: {"Windows Server 2025", "2034-11-14"},
}

// windows looks at the Windows entries together.
func (j *judging) windows() {
	var on []platform.Platform
	for n, e := range j.index.Entries {
		p := platform.From(e.Desc.Platform)
		if j.index.Single && e.Config != nil {
			p = platform.FromConfig(e.Config)
		}
		if p.OS != platform.Windows {
			continue
		}
		on = append(on, p)
		if was, ok := ended[platform.Build(p.OSVersion)]; ok {
			if end, err := time.Parse(time.DateOnly, was.end); err == nil && j.now.After(end.AddDate(0, 0, 1)) {
				j.add("index-windows-ended", n, "the support of %s ended on %s", was.name, was.end)
			}
		}
	}
	switch {
	case len(on) == 0:
		return
	case j.index.Single:
		j.add("index-single", -1, "")
		return
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
