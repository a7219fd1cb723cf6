package platform

import (
	"strconv"
	"strings"
)

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
