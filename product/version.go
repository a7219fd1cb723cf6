package product

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// fromGit is the word in place of a version that lets git decide it.
const fromGit = "git"

// FromPlan is where the version of a shard comes from, and that of a merge by a plan.
const FromPlan = "the plan"

// noVersion is the version of a product for which no version was found, so that other errors do
// not follow from that one.
const noVersion = "0.0.0"

// VersionSource is where the version of a product comes from.
type VersionSource struct {
	// From is "-version", "SLIPWAY_VERSION", "slipway.yaml", "git" or [FromPlan].
	From string `json:"from"`
	// Tag is the git tag of Commit that has the version.
	Tag string `json:"tag,omitempty"`
	// After is the highest version tag up to Commit, where that lacks one; "" if there is
	// none either.
	After  string `json:"after,omitempty"`
	Commit string `json:"commit,omitempty"` // in full
	// Changed means that the work tree differs from Commit. Only a snapshot has such a version.
	Changed bool `json:"changed,omitempty"`
}

// String returns the source as the first line of a run names it: "tag v1.2.3 of commit
// 3f2a1b2c3d4e".
func (s VersionSource) String() string {
	short := s.Commit[:min(12, len(s.Commit))]
	switch {
	case s.From != fromGit:
		return s.From
	case s.Tag != "":
		return "tag " + s.Tag + " of commit " + short
	}
	text := "commit " + short
	if s.After != "" {
		text += " after tag " + s.After
	}
	if s.Changed {
		text += " and changes that are not committed"
	}
	return text
}

// Raise says how the next version is chosen, for messages: "raise version in slipway.yaml".
func (s VersionSource) Raise() string {
	switch s.From {
	case "", File:
		return "raise version in " + File
	case fromGit:
		return "tag a commit with a higher version"
	case FromPlan:
		return "plan a higher version"
	}
	return "raise " + s.From
}

// Title names the product, its version and where that comes from: the first line of a long run.
func (p *Product) Title() string {
	title := fmt.Sprintf("%s %s, from %s", p.Name, p.Version, p.VersionSource)
	if p.Channel != "" {
		title += ", channel " + p.Channel
	}
	return title
}

// version decides the version of this run: that of -version, else of SLIPWAY_VERSION, else of
// slipway.yaml. Each of them may leave it to git, and the channel may change it.
func (c *checker) version(ctx context.Context, o Options, getenv func(string) string) {
	c.out.Version, c.out.VersionSource = noVersion, VersionSource{From: File}
	in := &c.in.Version
	c.tagPrefix()
	if *in != fromGit {
		if why := VersionFault(*in); why != "" {
			c.Errorf(in, "version %q %s", *in, why)
		} else if *in != "" {
			c.out.Version = *in
		}
	}
	if o.Bases { // which no version changes
		c.anyChannel()
		return
	}
	given, from := o.Version, cmp.Or(o.VersionFrom, "-version")
	if given == "" {
		given, from = getenv("SLIPWAY_VERSION"), "SLIPWAY_VERSION"
	}
	switch {
	case given == fromGit:
		c.gitVersion(ctx, from+" "+fromGit, yamlfile.Pos{})
	case given == "" && *in == fromGit:
		c.gitVersion(ctx, "version "+fromGit, c.Pos(in))
	case given == "":
	case VersionFault(given) != "":
		c.Usage("%s %q %s", from, given, VersionFault(given))
	default:
		c.out.Version, c.out.VersionSource = given, VersionSource{From: from}
	}
	c.chooseChannel(ctx, o.Channel)
}

// VersionFault returns what keeps a version from being a tag of an image, and the remedy; "" if
// nothing does, or if it is empty.
func VersionFault(version string) string {
	switch {
	case version == "" || tagForm.MatchString(version) && len(version) <= maxName:
		return ""
	case len(version) > maxName:
		return fmt.Sprintf("has more than %d characters: shorten it", maxName)
	case tagForm.MatchString(strings.ReplaceAll(version, "+", "-")):
		return "has a +, which the tag of an image cannot have: write - in its place, or leave the build metadata out"
	}
	return "is malformed: " + tagForm.remedy
}

// Kinds of versions by their form.
const (
	kindRelease    = "release"    // 1.2.3
	kindPrerelease = "prerelease" // 1.2.3-rc.1
	kindCommit     = "commit"     // a pseudo-version: 1.2.4-0.20261121093000-abcdefabcdef
)

// versionKind returns the kind of a semantic version, with or without v before it, and "" for any
// other version.
func versionKind(version string) string {
	v := withV(version)
	switch {
	case !semver.IsValid(v):
		return ""
	case module.IsPseudoVersion(strings.TrimSuffix(v, changedSuffix)):
		return kindCommit
	case semver.Prerelease(v) != "":
		return kindPrerelease
	}
	return kindRelease
}

// withV returns a version in the form of golang.org/x/mod/semver.
func withV(version string) string { return "v" + strings.TrimPrefix(version, "v") }
