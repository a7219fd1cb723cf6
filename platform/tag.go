package platform

import (
	"regexp"
	"slices"
	"strings"
)

// tagNames are the names that tags of Windows images use for a release, beside those of [LTSC]:
// the semi-annual channel, and ltsc2016.
// https://learn.microsoft.com/windows/release-health/windows-server-release-info and
// https://mcr.microsoft.com/en-us/artifact/mar/windows/nanoserver/tags list them.
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

// editions are the words after which four digits of a tag name a Windows release, as in
// nanoserver-1809.
var editions = []string{"nanoserver", "servercore", "windowsservercore", "windows"}

// TagVersion returns the Windows version of three parts that an image's tag names, such as
// 10.0.17763 of ltsc2019, 1809-amd64, 10.0.17763.6893 and 8.0-nanoserver-1809. It is "" for a tag
// that names none. Four digits alone count at the beginning of a tag and after the name of an
// edition only: elsewhere they may mean anything.
func TagVersion(tag string) string {
	words := strings.Split(strings.ToLower(tag), "-")
	for n, w := range words {
		if shortName.MatchString(w) && !beginsRelease(words, n) {
			continue
		}
		if tagVersion.MatchString(w) {
			return Short(w)
		}
		if v := tagNames[w]; v != "" {
			return v
		}
		if i := slices.IndexFunc(LTSC, func(r LTSCRelease) bool { return r.Name == w }); i >= 0 {
			return LTSC[i].Version
		}
	}
	return ""
}

// beginsRelease reports whether four digits stand where a tag names its release.
func beginsRelease(words []string, n int) bool {
	if n > 0 {
		return slices.Contains(editions, words[n-1])
	}
	return len(words) == 1 || slices.Contains(architectures[Windows], words[1])
}
