package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/report/changes"
)

// grounds lists the platforms and bases of an image that have come or gone, and images of another
// builder: why these have changed is unknown.
func grounds(old, now lock.Image) (all []string) {
	of := func(i lock.Image) (platforms, bases, taken map[string]string) {
		platforms, bases, taken = map[string]string{}, map[string]string{}, map[string]string{}
		for _, c := range i.Children {
			p := c.Platform
			on := called(p)
			platforms[on] = p.OSVersion
			if platform.Release(p.OSVersion) == "" {
				platforms[on] = ""
			}
			if c.Prebuilt != nil {
				taken[on] = fmt.Sprintf("%s, configuration %s", short(c.Digest), short(c.Config))
			}
			for _, b := range c.Bases() {
				name, _, _ := strings.Cut(b.Name, "@")
				bases[name+" for "+on] = short(b.Digest)
			}
		}
		return platforms, bases, taken
	}
	p, a, x := of(old)
	q, b, y := of(now)
	all = append(all, moves("", p, q)...)
	all = append(all, moves("base ", a, b)...)
	return append(all, moves("image taken as it is for ", x, y)...)
}

// made reports whether a manifest differs that the release made itself.
func made(old, now lock.Image) bool {
	return slices.ContainsFunc(now.Children, func(c lock.Child) bool {
		return c.Prebuilt == nil &&
			!slices.ContainsFunc(old.Children, func(o lock.Child) bool { return o.Digest == c.Digest })
	})
}

// unexplained reports whether a manifest that an image has in both releases differs, and none of
// the reasons names its platform.
func unexplained(old, now lock.Image, all []string) bool {
	for _, c := range now.Children {
		on := called(c.Platform)
		n := slices.IndexFunc(old.Children, func(o lock.Child) bool { return called(o.Platform) == on })
		if n >= 0 && old.Children[n].Digest != c.Digest &&
			!slices.ContainsFunc(all, func(why string) bool { return strings.Contains(why, on) }) {
			return true
		}
	}
	return false
}

// sourcesOf are the sources that an image is made of. Without a bill of materials they are known
// only if there is one.
func sourcesOf(r *Release, image string) []string {
	if r.Modules == nil && len(r.Lock.Sources) == 1 {
		return []string{r.Lock.Sources[0].Name}
	}
	return slices.Clone(r.Sources[image])
}

// moves lists what differs between two maps.
func moves(kind string, old, now map[string]string) (all []string) {
	for _, name := range changes.Names(old, now) {
		a, had := old[name]
		b, has := now[name]
		switch {
		case !had:
			all = append(all, kind+name+" is new")
		case !has:
			all = append(all, kind+name+" is gone")
		case a != b:
			all = append(all, fmt.Sprintf("%s%s: %s → %s", kind, name, a, b))
		}
	}
	return all
}

// modulesOf are the versions of the modules of an image, joined, by path.
func modulesOf(r *Release, image string) map[string]string {
	all := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(r.Modules)) {
		for _, v := range r.Modules[path] {
			if _, ok := slices.BinarySearch(r.Images[[2]string{path, v}], image); ok {
				all[path] = strings.TrimSpace(all[path] + " " + v)
			}
		}
	}
	return all
}

// counted states the versions of the toolchain, and of other modules how many have moved where.
func counted(old, now map[string]string) (all []string) {
	const toolchain = "stdlib"
	if a, b := old[toolchain], now[toolchain]; a != b && a != "" && b != "" {
		all = append(all, "Go "+a+" → "+b)
	}
	counts := map[string]int{}
	for _, name := range changes.Names(old, now) {
		if name != toolchain && old[name] != now[name] {
			counts[direction(name, old[name], now[name])]++
		}
	}
	var parts []string
	for _, where := range []string{"up", "down", "changed", "new", "gone"} {
		if counts[where] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[where], where))
		}
	}
	if len(parts) > 0 {
		all = append(all, "modules: "+strings.Join(parts, ", "))
	}
	return all
}
