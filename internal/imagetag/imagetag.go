// Package imagetag compares the versions that image tags name, to find newer ones of a tag.
//
// A tag such as v1.34.2-rc.1-alpine3.20 has a version, 1.34.2 and the prerelease rc.1, and a
// form: the v before it, the two to four numbers of the version, and the words behind it. [Newer]
// compares only tags of one form, so that 1.2.3-alpine becomes neither 1.2.4 nor
// 1.2.4-nanoserver-ltsc2022. A tag without a version is never raised: latest, ltsc2022, main, a
// single number, a date (20251112, 2025.11.2, 24.04). The major version never changes, nor does
// the build of a Windows version (10.0.20348.4773).
//
// The order is that of https://semver.org, with the prereleases that tags use (rc1, -rc.1,
// 3.15.0b2). The word build with a number, as in v1.34.2-rke2r1-build20251112, counts the builds of
// one version.
package imagetag

import (
	"cmp"
	"fmt"
	"slices"
)

// Level is how far a tag may be raised.
type Level int

// Levels.
const (
	None  Level = iota
	Patch       // major and minor version stay
	Minor       // the major version stays
)

var levels = []string{"", "patch", "minor"}

// String returns patch or minor, or "" for [None].
func (l Level) String() string { return levels[l] }

// MarshalText is [Level.String].
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads patch or minor.
func (l *Level) UnmarshalText(text []byte) error {
	n := slices.Index(levels, string(text))
	if n <= 0 {
		return fmt.Errorf("%q is not a level: write patch or minor", text)
	}
	*l = Level(n)
	return nil
}

// Candidate is a newer tag.
type Candidate struct {
	Tag string
	// Level is [Minor] if the tag has another minor version, and otherwise [Patch].
	Level Level
}

// Newer returns the tags of a list that are newer versions of tag, in its form and up to a level;
// the newest is first.
func Newer(tag string, list []string, level Level) []Candidate {
	from, ok := parse(tag)
	if !ok || level == None {
		return nil
	}
	var found []Candidate
	for _, t := range list {
		if to, ok := parse(t); ok && to.mayReplace(from, level) {
			found = append(found, Candidate{t, from.distance(to)})
		}
	}
	slices.SortFunc(found, func(a, b Candidate) int {
		x, _ := parse(a.Tag)
		y, _ := parse(b.Tag)
		return cmp.Or(-x.compare(y), cmp.Compare(a.Tag, b.Tag))
	})
	return slices.Compact(found)
}
