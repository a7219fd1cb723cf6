package distribution

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

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
	words := slices.Concat(split(repository), split(tag))
	for _, d := range All {
		for _, name := range append([]string{d.ID}, d.images...) {
			if version := first(split(tag)); repository == name {
				if r, ok := d.Release(version); ok {
					return d, r, true
				}
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

// SupportOf returns how long the system of a base is supported, as far as its version of Windows or
// else the name of its image tells that; zero if neither does.
func SupportOf(image, osVersion string) platform.Support {
	if r, ok := platform.FindWindows(osVersion); ok {
		return r.Support
	}
	if d, r, ok := OfImage(image); ok {
		return d.Support(r)
	}
	return platform.Support{}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
