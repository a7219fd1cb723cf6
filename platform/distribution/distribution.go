// Package distribution has the releases of Linux distributions that images are based on, and
// until when whoever makes them supports them.
//
// The days are those that the distributions publish, at the address next to each of them, and
// were compared with endoflife.date as of August 2026. Support that has to be paid for does not
// count: Ubuntu's Expanded Security Maintenance, SUSE's LTSS and Red Hat's Extended Life Cycle
// Support. Releases that are not in the table are not judged.
package distribution

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/platform"
)

// Distribution is a Linux distribution.
type Distribution struct {
	ID       string    // as in os-release
	Name     string    // as people call it
	Source   string    // where its days are published
	Releases []Release // newest first; empty for a rolling distribution
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

// OfImage returns the release that the name of an image tells, without a look into it:
// debian:bookworm-slim, golang:1.26-alpine3.22, gcr.io/distroless/static-debian12,
// registry.suse.com/bci/bci-base:15.6. ok is false if it tells none of the table.
func OfImage(reference string) (d Distribution, r Release, ok bool) {
	if len(reference) > maxField {
		return d, r, false
	}
	reference, _, _ = strings.Cut(reference, "@")
	repository, tag, _ := strings.Cut(path.Base(strings.ToLower(reference)), ":")
	if strings.Contains(reference, "/bci/") {
		repository = "sles"
	}
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' })
	}
	tagged := append(split(tag), "") // "" is not a version
	words := slices.Concat(split(repository), tagged)
	for _, d := range All {
		for _, name := range append([]string{d.ID}, d.images...) {
			if r, ok := d.Release(tagged[0]); ok && repository == name {
				return d, r, true
			}
			for _, w := range words { // debian12, alpine3.22, ubi9
				if version, is := strings.CutPrefix(w, name); is {
					if r, ok := d.Release(version); ok {
						return d, r, true
					}
				}
			}
		}
		for _, r := range d.Releases {
			if r.Codename != "" && slices.Contains(words, r.Codename) {
				return d, r, true
			}
		}
	}
	return Distribution{}, Release{}, false
}

// SupportOf returns how long the system of a base is supported, as far as its version of Windows
// or else the name of its image tells that; zero if neither does.
func SupportOf(image, osVersion string) platform.Support {
	if r, ok := platform.FindWindows(osVersion); ok {
		return r.Support
	}
	if d, r, ok := OfImage(image); ok {
		return d.Support(r)
	}
	return platform.Support{}
}

// Files are where a distribution names itself, in this order
// (https://www.freedesktop.org/software/systemd/man/latest/os-release.html).
var Files = []string{"/etc/os-release", "/usr/lib/os-release"}

// maxField bounds a text of os-release, in bytes. Those of real distributions have less than 200.
const maxField = 1024

// OSRelease is an os-release. A field that is not there is empty.
type OSRelease struct {
	ID       string
	Version  string // VERSION_ID
	Codename string // VERSION_CODENAME
}

// Parse reads an os-release, without malformed lines, and without those that are too long or have
// characters that do not print.
func Parse(text []byte) (r OSRelease) {
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		if len(value) > maxField || strings.ContainsFunc(value, func(r rune) bool {
			return r == unicode.ReplacementChar || !unicode.IsPrint(r)
		}) {
			continue
		}
		switch key {
		case "ID":
			r.ID = value
		case "VERSION_ID":
			r.Version = value
		case "VERSION_CODENAME":
			r.Codename = value
		}
	}
	return r
}

// Release returns the distribution that r names, and its release. ok is false for a distribution
// that is not in the table; the release of a rolling one, and one that is not in the table, is
// empty.
func (r OSRelease) Release() (d Distribution, release Release, ok bool) {
	if d, ok = Find(r.ID); ok {
		release, _ = d.Release(r.Version)
	}
	return d, release, ok
}
