package platform

import (
	"slices"
	"strings"
)

// version1809 is the name that ltsc2019 had in image tags before it had that one. See
// https://mcr.microsoft.com/en-us/artifact/mar/windows/nanoserver/tags.
const version1809 = "1809"

// named returns the version of the release that has a name in image tags; "" for none.
func named(tag string) string {
	if tag == version1809 {
		tag = "ltsc2019"
	}
	for _, r := range slices.Concat(WindowsReleases, LTSC) {
		if r.Name == tag && tag != "" {
			return r.Version
		}
	}
	return ""
}

var (
	tagVersion = expression(`^10\.0\.[1-9][0-9]{4}(\.[0-9]+)?$`)
	shortName  = expression(`^[0-9]{4}$`)
)

// editions lists the words after which four digits in a tag name a Windows release, as in
// nanoserver-1809.
var editions = []string{"nanoserver", "servercore", "windowsservercore", "windows"}

// TagVersion returns the Windows version, in three parts, that an image's tag names: 10.0.17763
// for ltsc2019, 1809-amd64, 10.0.17763.6893 and 8.0-nanoserver-1809. It returns "" for a tag
// that names none. A word of four digits counts only after the name of an edition, or at the
// beginning of a tag if nothing or an architecture follows. Elsewhere it may mean anything.
func TagVersion(tag string) string {
	words := strings.Split(strings.ToLower(tag), "-")
	for n, w := range words {
		if shortName().MatchString(w) && !beginsRelease(words, n) {
			continue
		}
		if tagVersion().MatchString(w) {
			return Short(w)
		}
		if v := named(w); v != "" {
			return v
		}
	}
	return ""
}

// beginsRelease reports whether the four digits words[n] are in a position where a tag names
// its release.
func beginsRelease(words []string, n int) bool {
	if n > 0 {
		return slices.Contains(editions, words[n-1])
	}
	return len(words) == 1 || slices.Contains(architectures[Windows], words[1])
}
