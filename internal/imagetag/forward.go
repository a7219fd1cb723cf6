package imagetag

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Annotations and labels with the version and the time of an image
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md#pre-defined-annotation-keys).
const (
	versionKey = "org.opencontainers.image.version"
	createdKey = "org.opencontainers.image.created"
)

// maxVersion bounds a version in bytes; a tag has at most as many.
const maxVersion = 128

// Stamp is the version and the time of an image. What the image does not say is empty or zero.
type Stamp struct {
	Version string
	Created time.Time
}

// Or returns s, with what it lacks from another stamp.
func (s Stamp) Or(other Stamp) Stamp {
	s.Version = cmp.Or(s.Version, other.Version)
	if s.Created.IsZero() {
		s.Created = other.Created
	}
	return s
}

// Take completes s from annotations or labels, and reports whether s is complete.
func (s *Stamp) Take(from map[string]string) bool {
	if v := from[versionKey]; len(v) <= maxVersion {
		s.Version = cmp.Or(s.Version, v)
	}
	if t, err := time.Parse(time.RFC3339, from[createdKey]); err == nil && s.Created.IsZero() {
		s.Created = t.UTC()
	}
	return s.Version != "" && !s.Created.IsZero()
}

// Forward reports whether a floating tag that names one image may move to another one, and why. A
// higher version is forward, and a prerelease is below its release. If one of the versions is not
// semantic (https://semver.org, with or without a v), the later image is forward. What cannot be
// compared is not forward, and neither are two images of one version.
func Forward(have, want Stamp) (ok bool, reason string) {
	from, to := semantic(have.Version), semantic(want.Version)
	if from != "" && to != "" {
		switch semver.Compare(to, from) {
		case 1:
			return true, fmt.Sprintf("%s is above %s", want.Version, have.Version)
		case -1:
			return false, fmt.Sprintf("%s is below %s, which it names", want.Version, have.Version)
		}
		return false, fmt.Sprintf("it names another image of version %s", have.Version)
	}
	switch {
	case have.Created.IsZero():
		return false, fmt.Sprintf("the image that it names has neither a semantic version (%s) "+
			"nor a time (%s) to compare", versionKey, createdKey)
	case want.Created.IsZero():
		return false, fmt.Sprintf("the image that it names has no semantic version to compare, "+
			"and this one has no time (%s)", createdKey)
	case want.Created.After(have.Created):
		return true, fmt.Sprintf("%s is after %s", date(want), date(have))
	}
	return false, fmt.Sprintf("%s is not after %s, the time of what it names", date(want), date(have))
}

// semantic returns a version in the form of package semver, or "" if it is not semantic. A single
// number is not: it may be a date or a commit.
func semantic(v string) string {
	v = "v" + strings.TrimPrefix(v, "v")
	if !semver.IsValid(v) || !strings.Contains(v, ".") {
		return ""
	}
	return v
}

func date(s Stamp) string { return s.Created.Format(time.RFC3339) }
