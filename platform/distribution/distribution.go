// Package distribution has the releases of Linux distributions that images are based on, and until
// when whoever makes them supports them.
//
// The days are those that the distributions publish, at the address beside each of them; they were
// compared with endoflife.date as of August 2026. Support that has to be paid for does not count:
// Ubuntu's Expanded Security Maintenance, SUSE's LTSS and Red Hat's Extended Life Cycle Support.
// What is not in the table is not judged.
package distribution

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// Distribution is a Linux distribution.
type Distribution struct {
	ID     string // as in os-release
	Name   string // as people call it
	Source string // where its days are published
	// Rolling means that it has no releases, and that an image has the state of the day on which
	// it was made.
	Rolling  bool
	Releases []Release // newest first
	images   []string  // last parts of the repositories of its images, besides ID
}

// Release is a release of a distribution.
type Release struct {
	Version  string // the begin of VERSION_ID in os-release
	Codename string // VERSION_CODENAME, as in the tags of images; empty for none
	// Until is the last day of regular support, and Extended that of the extended support that
	// anybody gets: Debian's LTS. Both are written 2006-01-02; empty for none.
	Until, Extended string
}

// Support returns how long a release is supported.
func (d Distribution) Support(r Release) platform.Support {
	return platform.Support{Name: d.Name + " " + r.Version, Until: r.Until, Extended: r.Extended}
}

// Find returns the distribution of an ID in os-release.
func Find(id string) (Distribution, bool) {
	n := slices.IndexFunc(All, func(d Distribution) bool { return d.ID == id })
	if n < 0 {
		return Distribution{}, false
	}
	return All[n], true
}

// Release returns the release that a VERSION_ID belongs to: 12 for 12.5, 3.20 for 3.20.3.
func (d Distribution) Release(version string) (Release, bool) {
	n := slices.IndexFunc(d.Releases, func(r Release) bool {
		return version == r.Version || strings.HasPrefix(version, r.Version+".")
	})
	if n < 0 {
		return Release{}, false
	}
	return d.Releases[n], true
}

// Named returns the release of a codename.
func (d Distribution) Named(codename string) (Release, bool) {
	n := slices.IndexFunc(d.Releases, func(r Release) bool { return r.Codename == codename && codename != "" })
	if n < 0 {
		return Release{}, false
	}
	return d.Releases[n], true
}
