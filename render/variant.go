package render

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/render/workload"
)

// variant is a name of an image, and how its tag is made of the version.
type variant struct {
	image, reference string // reference is that of the lock
	prefix, suffix   string // around the version in the tag
	versioned        bool   // the tag has the version in it
}

func newVariant(tag, version, image, reference string) variant {
	v := variant{image: image, reference: reference}
	if version != "" {
		v.prefix, v.suffix, v.versioned = strings.Cut(tag, version)
	}
	return v
}

// meant returns the reference of the image of a repository that a tag of another release, such as
// an older one, latest or canary, most likely means: its own tag has the most in common. Where
// images share a repository, as with v1.2.3 and v1.2.3-windows-hp, v1.1.0-windows-hp means the
// second. A tag of a variant that no image has, such as debug, gives "".
func meant(list []variant, tag string) string {
	var best []variant
	common := -1
	for _, v := range list {
		rest := tag
		if !v.versioned {
			continue
		}
		n := 0
		if cut, ok := strings.CutSuffix(rest, v.suffix); ok && v.suffix != "" {
			rest, n = cut, len(v.suffix)
		} else if v.suffix != "" {
			continue
		}
		if cut, ok := strings.CutPrefix(rest, v.prefix); ok {
			rest, n = cut, n+len(v.prefix)
		}
		switch {
		case slices.ContainsFunc(workload.Words(rest), isVariant) || n < common:
		case n > common:
			best, common = []variant{v}, n
		default:
			best = append(best, v)
		}
	}
	if len(best) == 0 || slices.ContainsFunc(best, func(v variant) bool { return v.reference != best[0].reference }) {
		return ""
	}
	return best[0].reference
}

// variants are words in tags of images that differ from the main one of a release.
var variants = []string{
	"alpine", "amd", "arm", "armv", "bullseye", "bookworm", "busybox", "debian", "debug", "distroless", "fips", "linux",
	"minimal", "musl",
	"nonroot", "ppc", "riscv", "root", "rootless", "s", "scratch", "shell", "slim", "static", "ubi",
	"ubuntu", "wolfi", "x",
}

// isVariant reports whether a word in a tag is of a variant of an image: a system, an architecture
// or a base.
func isVariant(word string) bool {
	return workload.IsWindowsName(word) ||
		word != "" && slices.Contains(variants, strings.TrimRight(word, "0123456789"))
}
