package platform

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Key identifies a platform as hosts distinguish it from others: by OS, architecture, variant and
// features and, for Windows, the build, in the [Platform.Normal] form. The revision does not
// count, as in containerd. Values that compare a platform more than once keep its key.
type Key Platform

// Key returns the key of p.
func (p Platform) Key() Key { return Key(p.Canonical()) }

// Same reports whether a and b have the same [Key].
func Same(a, b Platform) bool { return a.Key() == b.Key() }

// Takes reports whether an image for o is one for p: it is the same, and has the revision that p
// has, if p has one.
func (p Platform) Takes(o Platform) bool {
	return Same(p, o) && (p.OSVersion == Short(p.OSVersion) || p.OSVersion == o.OSVersion)
}

// Canonical returns p in the form of its [Key].
func (p Platform) Canonical() Platform {
	p = p.Normal()
	if p.OS == Windows {
		p.OSVersion, p.OSFeatures = Short(p.OSVersion), withoutWin32k(p.OSFeatures)
	} else {
		p.OSVersion = ""
	}
	return p
}

// Normal returns p with the names that containerd compares by: amd64 for x86_64, arm64 for
// aarch64 and for v8, arm/v7 for arm, armhf and armel by their variants
// (https://github.com/containerd/platforms/blob/v1.0.0-rc.5/database.go).
func (p Platform) Normal() Platform {
	p.OS, p.Architecture, p.Variant = strings.ToLower(p.OS), strings.ToLower(p.Architecture), strings.ToLower(p.Variant)
	if p.OS == "macos" {
		p.OS = "darwin"
	}
	switch p.Architecture {
	case "i386":
		p.Architecture, p.Variant = "386", ""
	case "x86_64", "x86-64", "amd64":
		p.Architecture = "amd64"
		if p.Variant == "v1" {
			p.Variant = ""
		}
	case "aarch64", "arm64":
		p.Architecture = "arm64"
		switch p.Variant {
		case "8", "v8", "v8.0":
			p.Variant = ""
		case "9", "9.0", "v9.0":
			p.Variant = "v9"
		}
	case "armhf":
		p.Architecture, p.Variant = "arm", "v7"
	case "armel":
		p.Architecture, p.Variant = "arm", "v6"
	case "arm":
		switch p.Variant {
		case "", "7":
			p.Variant = "v7"
		case "5", "6", "8":
			p.Variant = "v" + p.Variant
		}
	}
	return p
}

// win32k is the feature of images that need the graphical part of the Windows kernel. Windows
// bases state it in their configuration, and runtimes do not choose by it
// (https://github.com/containerd/platforms/blob/v1.0.0-rc.5/platform_windows_compat.go).
const win32k = "win32k"

// withoutWin32k returns features without win32k, by which runtimes do not choose.
func withoutWin32k(features string) string {
	if features == "" {
		return ""
	}
	all := slices.DeleteFunc(strings.Split(features, "+"), func(f string) bool { return f == win32k })
	return strings.Join(all, "+")
}

// Short returns a Windows version without its revision: 10.0.17763 for 10.0.17763.6893.
func Short(osVersion string) string {
	parts := strings.Split(osVersion, ".")
	return strings.Join(parts[:min(3, len(parts))], ".")
}

// Build returns the build number of a Windows version, 17763 for 10.0.17763.6893, or 0 without
// one.
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

// runs reports whether a host runs an image, by their canonical forms: see [Runs].
func runs(host, image Platform) bool {
	if needs(image.OSFeatures, host.OSFeatures) || host.OS != image.OS || distance(host, image) < 0 {
		return false
	}
	if host.OS != Windows || image.OSVersion == "" || host.OSVersion == "" {
		return true
	}
	h, i := Build(host.OSVersion), Build(image.OSVersion)
	return kernel(host.OSVersion) == kernel(image.OSVersion) && (i == h || oldest(h) <= i && i <= h)
}

// MayMatch reports whether containerd on a host may consider an image made for another platform
// before it chooses the [Best]: if the host [Runs] the image, or if containerd's default matcher
// accepts it, as it does any variant of the host's architecture and of its 32-bit one. The result
// is true for every image that some version of containerd considers, and possibly for more:
// versions before 2.3 ignore features.
func MayMatch(host, image Platform) bool {
	host, image = host.Normal(), image.Normal()
	if a := image.Architecture; a == "" || a != host.Architecture && a != compat32[host.Architecture][0] {
		return false
	}
	image.Architecture, image.Variant, image.OSFeatures = host.Architecture, host.Variant, ""
	return runs(host.Canonical(), image.Canonical())
}

// compareImages compares two images that a host runs by which of them it prefers.
func compareImages(host, a, b Platform) int {
	host = host.Normal()
	newer := 0
	if a.OS == Windows {
		newer = compareVersions(a.OSVersion, b.OSVersion)
	}
	return cmp.Or(cmp.Compare(distance(host, b.Normal()), distance(host, a.Normal())), newer,
		cmp.Compare(countFeatures(a.OSFeatures), countFeatures(b.OSFeatures)))
}

// oldest returns the oldest build that a host runs besides its own, by the newest release in
// [LTSC] that is not newer than the host.
func oldest(host int) int {
	from := host
	for _, r := range LTSC {
		if r.Oldest > 0 && r.Build() <= host {
			from = r.Oldest
		}
	}
	return from
}

// compat32 maps an architecture to the 32-bit one whose programs it also runs, and to the variant
// that it has as one.
var compat32 = map[string][2]string{"amd64": {"386", ""}, "arm64": {"arm", "v8"}}

// behind is the distance of images for the 32-bit architecture: those for the host's own come
// first.
const behind = 1 << 10

// distance returns how far an image's architecture is from a host's own, in the order in which
// containerd prefers images, and -1 if it does not take one. Both are [Platform.Normal].
func distance(host, image Platform) int {
	if host.Architecture == image.Architecture {
		return older(host.Architecture, host.Variant, image.Variant)
	}
	_, known := version(host.Architecture, host.Variant)
	if to, ok := compat32[host.Architecture]; ok && known && to[0] == image.Architecture {
		if d := older(to[0], to[1], image.Variant); d >= 0 {
			return behind + d
		}
	}
	return -1
}

// older returns by how many steps the variant of an image is older than that of a host which runs
// it, and -1 for one that the host does not run.
func older(architecture, host, image string) int {
	if host == image {
		return 0
	}
	h, okHost := version(architecture, host)
	i, okImage := version(architecture, image)
	switch {
	case !okHost || !okImage:
	case architecture != "arm64":
		if h.major > i.major {
			return h.major - i.major
		}
	case h.major == i.major && h.minor > i.minor:
		return h.minor - i.minor
	case h.major == 9 && i.major == 8: // v9.0 has what v8.5 has
		if most := min(h.minor+5, 9); i.minor <= most {
			return h.minor + 1 + most - i.minor
		}
	}
	return -1
}

// generation is a version of an architecture: 8.2 of arm64, 3 of amd64, 7 of arm.
type generation struct{ major, minor int }

// baseline are the generations that an empty variant means, and first the oldest ones.
var baseline, first = map[string]int{"amd64": 1, "arm64": 8}, map[string]int{"amd64": 1, "arm64": 8, "arm": 5}

// version returns the generation that a variant means. ok is false for an architecture without
// generations, and for another word.
func version(architecture, variant string) (g generation, ok bool) {
	if g.major, ok = baseline[architecture]; ok && variant == "" {
		return g, true
	}
	least, ok := first[architecture]
	number, isVersion := strings.CutPrefix(variant, "v")
	major, minor, hasMinor := strings.Cut(number, ".")
	var err error
	if g.major, err = strconv.Atoi(major); err != nil || !ok || !isVersion || g.major < least {
		return g, false
	}
	if hasMinor {
		g.minor, err = strconv.Atoi(minor)
		ok = err == nil && architecture == "arm64"
	}
	return g, ok
}

// needs reports whether image has a feature that host lacks.
func needs(image, host string) bool {
	if image == "" {
		return false
	}
	has := strings.Split(host, "+")
	return slices.ContainsFunc(strings.Split(image, "+"), func(f string) bool { return !slices.Contains(has, f) })
}

// countFeatures returns how many features a platform has.
func countFeatures(features string) int {
	if features == "" {
		return 0
	}
	return strings.Count(features, "+") + 1
}

// kernel returns major.minor of a Windows version.
func kernel(osVersion string) string {
	parts := strings.Split(osVersion, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// compareVersions compares dotted decimal numbers part by part. A missing part is less than 0.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return -1
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
