package platform

import (
	"cmp"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Runs reports whether a host runs images made for another platform, as containerd/platforms v1
// decides: those of its own architecture and of older generations of it (arm/v7 runs arm/v6), and
// those of the 32-bit architecture that it has, too. On Windows the build counts besides, for
// containers that share the host's kernel: a host runs images of its own build, and of every
// build from [WindowsRelease.Oldest] of its release up to its own
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
//
// Runtimes also apply this rule when they choose from an index under Hyper-V and for
// HostProcess containers. An image without a version runs on every Windows host of its
// architecture, and a host without a version runs every Windows image of its architecture.
//
// A host runs an image only if it has all of the image's features, wherever.
func Runs(host, image Platform) bool { return runs(host.Canonical(), image.Canonical()) }

// HasFeatures reports whether a host has all features of an image.
func HasFeatures(host, image Platform) bool {
	return !needs(image.Canonical().OSFeatures, host.Canonical().OSFeatures)
}

// Accepts reports whether a node's runtime takes one of several images, as far as the node
// reports its platform: a node with Linux reports no variant, such as v7, and a node with Windows
// of unknown build takes for certain only images for every build.
func Accepts(node Platform, images []Platform) bool {
	return slices.ContainsFunc(images, func(i Platform) bool {
		switch {
		case node.OS == Linux && i.OS == Linux && i.Normal().Architecture == node.Normal().Architecture &&
			HasFeatures(node, i):
			return true
		case node.OS == Windows && node.OSVersion == "" && i.OSVersion != "":
			return false
		}
		return Runs(node, i)
	})
}

// Fits reports whether what an index lists for a platform is an image that runs there, by its
// configuration: one of its operating system and architecture, of the same or an older
// generation. A variant that one of them lacks is not compared, nor are versions of Windows.
func Fits(listed, image Platform) bool {
	listed.OSVersion, image.OSVersion = "", ""
	if listed.Variant == "" || image.Variant == "" {
		listed.Variant, image.Variant = "", ""
	}
	return listed.Normal().Architecture == image.Normal().Architecture && Runs(listed, image)
}

// OfManifest returns the platform of a manifest: that of its index, completed by its
// configuration, which alone has it where the index lists none. has is that of the
// configuration, and fit whether the two do, with the same build of Windows if both have one.
func OfManifest(listed *v1.Platform, config *v1.ConfigFile) (p, has Platform, fit bool) {
	has = FromConfig(config)
	if listed == nil {
		return has, has, true
	}
	if p = From(listed); p.OSVersion == "" {
		p.OSVersion = has.OSVersion
	}
	other := p.OS == Windows && has.OSVersion != "" && Short(p.OSVersion) != Short(has.OSVersion)
	return p, has, Fits(p, has) && !other
}

// Best returns the index of the image that a host runs: the one for the host's own build and
// features, of several the newest, or else of those that it [Runs] the nearest to its
// architecture, of these the newest, of these the first with most features. An image without a
// version counts as the oldest. Best returns -1 if the host runs none.
func Best(host Platform, images []Platform) int {
	best, _ := Choose(host, images)
	return best
}

// Choose returns the [Best] image, and whether it is a fallback, made for another platform than
// the host's own.
func Choose(host Platform, images []Platform) (best int, fallback bool) {
	best, own, key := -1, false, host.Key()
	for n, i := range images {
		same := i.Key() == key
		if !same && (own || !Runs(host, i)) {
			continue
		}
		if best < 0 || same && !own || compareImages(host, i, images[best]) > 0 {
			best, own = n, same
		}
	}
	return best, best >= 0 && !own
}

// Compare orders platforms as an index lists them: Linux before Windows, then Windows from
// newest to oldest, because older containerd takes the first manifest that matches, then by
// architecture and variant. A platform with features comes after the one without, because older
// containerd does not look at them.
func Compare(a, b Platform) int {
	return cmp.Or(
		cmp.Compare(a.OS, b.OS),
		-compareVersions(a.OSVersion, b.OSVersion),
		cmp.Compare(a.Architecture, b.Architecture),
		cmp.Compare(a.Variant, b.Variant),
		cmp.Compare(a.OSFeatures, b.OSFeatures),
	)
}

// Sort orders platforms by [Compare].
func Sort(ps []Platform) { slices.SortStableFunc(ps, Compare) }
