package builder

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// versionForm is a version among other words. Distributions add to it: 0.13.1+ds1-3.
var versionForm = lazyregexp.New(`(?:^|\s)(v?[0-9]+\.[0-9]+(?:\.[0-9]+)?[^\s,]*)`)

// versionIn returns the version that a program reports, or else all of its first line: programs
// that are built from a commit report that instead.
func versionIn(out string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if m := versionForm.FindStringSubmatch(line); m != nil {
		return clean(m[1])
	}
	return clean(line)
}

// newEnough reports a version that is older than the oldest that works. One that is not a release
// (a commit, v0.0.0+unknown) is taken as new.
func newEnough(what, version, oldest, remedy string) error {
	v, o := canonical(version), canonical(oldest)
	if !semver.IsValid(v) || semver.Compare(v, "v0.0.0") == 0 || semver.Compare(v, o) >= 0 {
		return nil
	}
	return fmt.Errorf("%s %s is too old: %s is the oldest that makes layouts which can be made again: %s",
		what, strings.TrimPrefix(version, "v"), strings.TrimPrefix(oldest, "v"), remedy)
}

// canonical returns a version with three numbers and nothing else: a release candidate has what
// the release has.
func canonical(version string) string {
	v := "v" + strings.TrimPrefix(version, "v")
	if n := strings.IndexAny(v, "-+~"); n >= 0 {
		v = v[:n]
	}
	return semver.Canonical(v)
}
