package product

import (
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Kinds of versions by their form.
const (
	KindRelease    = "release"    // 1.2.3
	KindPrerelease = "prerelease" // 1.2.3-rc.1
	KindCommit     = "commit"     // a pseudo-version: 1.2.4-0.20261121093000-abcdefabcdef
)

// VersionKind returns the kind of a semantic version, with or without v before it, and "" for any
// other version.
func VersionKind(version string) string {
	v := withV(version)
	switch {
	case !semver.IsValid(v):
		return ""
	case module.IsPseudoVersion(strings.TrimSuffix(v, changedSuffix)):
		return KindCommit
	case semver.Prerelease(v) != "":
		return KindPrerelease
	}
	return KindRelease
}

// withV returns a version in the form of golang.org/x/mod/semver.
func withV(version string) string { return "v" + strings.TrimPrefix(version, "v") }
