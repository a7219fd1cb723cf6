package transfer

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

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
		return false, fmt.Sprintf("the image that it names has neither a semantic version (%s) nor a time (%s) to compare", versionKey, createdKey)
	case want.Created.IsZero():
		return false, fmt.Sprintf("the image that it names has no semantic version to compare, and this one has no time (%s)", createdKey)
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
