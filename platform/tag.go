package platform

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// tagNames maps names of Windows releases in image tags to versions. It has the releases that
// are not in [LTSC]: the semi-annual channel and ltsc2016. See
// https://learn.microsoft.com/windows/release-health/windows-server-release-info and
// https://mcr.microsoft.com/en-us/artifact/mar/windows/nanoserver/tags.
var tagNames = map[string]string{
	"ltsc2016": "10.0.14393",
	"1709":     "10.0.16299",
	"1803":     "10.0.17134",
	"1809":     "10.0.17763",
	"1903":     "10.0.18362",
	"1909":     "10.0.18363",
	"2004":     "10.0.19041",
	"20h2":     "10.0.19042",
}

var (
	tagVersion = regexp.MustCompile(`^10\.0\.[1-9][0-9]{4}(\.[0-9]+)?$`)
	shortName  = regexp.MustCompile(`^[0-9]{4}$`)
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
		if shortName.MatchString(w) && !beginsRelease(words, n) {
			continue
		}
		if tagVersion.MatchString(w) {
			return Short(w)
		}
		if v := cmp.Or(tagNames[w], ltscVersion(w)); v != w {
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
