package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// before looks for nodes that find an entry in the version before and none in this one. An entry
// for Windows without a version is for no node in particular, and a release of Windows that has
// ended for none that is supported: other rules say to do without them.
func (j *judging) before() {
	if j.index.Before == nil || !j.complete() {
		return
	}
	now := j.index.Platforms()
	var lost []platform.Platform
	for _, p := range j.index.Before.Platforms() {
		r, known := platform.FindWindows(p.OSVersion)
		if p.OS == windows && (p.OSVersion == "" || known && r.Support.Ended(j.options.Now)) {
			continue
		}
		same := func(o platform.Platform) bool { return platform.Same(o, p) }
		if platform.Best(p, now) < 0 && !slices.ContainsFunc(lost, same) {
			lost = append(lost, p)
		}
	}
	if len(lost) > 0 {
		j.add("index-platform-lost", -1, "%s has an entry for %s, and this image does not", j.index.Before.Name,
			format(lost))
	}
}

// wanted looks for the platforms that each image must have.
func (j *judging) wanted() {
	if len(j.options.Platforms) == 0 || !j.complete() {
		return
	}
	has := j.index.Platforms()
	var absent []platform.Platform
	for _, p := range j.options.Platforms {
		if !slices.ContainsFunc(has, func(o platform.Platform) bool { return platform.Same(o, p) }) {
			absent = append(absent, p)
		}
	}
	if len(absent) > 0 {
		j.add("index-platform-absent", -1, "it has no entry for %s, and is for %s", format(absent), format(has))
	}
}

// complete reports whether the image was read, so that it can be told what it lacks.
func (j *judging) complete() bool {
	return !j.index.Single || len(j.index.Platforms()) > 0
}

// hosts looks for nodes that find no entry. Those of an operating system that the image is not for
// run other images, unless it is for none of theirs.
func (j *judging) hosts() {
	has := j.index.Platforms()
	if len(has) == 0 || !j.complete() {
		return
	}
	if j.options.Older != nil {
		for _, text := range j.options.Older(has) {
			j.add("index-node-revision", -1, "%s", text)
		}
	}
	var without []Host
	some := false
	for _, h := range j.options.Hosts {
		forOS := slices.ContainsFunc(has, on(h.Platform.OS))
		some = some || forOS
		if forOS && !platform.Accepts(h.Platform, has) {
			without = append(without, h)
		}
	}
	if !some && len(j.options.Hosts) > 0 {
		j.add("index-node", -1, "none of the nodes runs it: it is for %s", format(has))
	} else if len(without) > 0 {
		j.add("index-node", -1, "no entry runs on %s: it is for %s", formatHosts(without), format(has))
	}
}

// formatHosts names nodes, and what they are.
func formatHosts(list []Host) string {
	const most = 3
	var names []string
	for _, h := range list {
		h.Platform.OSVersion = platform.Short(h.Platform.OSVersion)
		names = append(names, fmt.Sprintf("%s (%s)", h.Name, h.Platform))
	}
	switch {
	case len(names) == 1:
		return "node " + names[0]
	case len(names) > most:
		return fmt.Sprintf("%d nodes, such as %s", len(names), names[0])
	}
	return "nodes " + strings.Join(names, ", ")
}
