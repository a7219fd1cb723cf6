package product

import (
	"net/url"
	"strings"
)

// Index returns the URL of the signed index of a repository: its InRelease.
func (r LockedRepository) Index() string {
	base := strings.TrimSuffix(r.URL, "/")
	dir, flat := strings.CutSuffix(r.Suite, "/")
	if !flat {
		return base + "/dists/" + r.Suite + "/InRelease"
	}
	if dir = strings.Trim(dir, "./"); dir != "" {
		base += "/" + dir
	}
	return base + "/InRelease"
}

// URL returns where a package is; "" for one that is removed, or is a file of the stage.
func (p LockedPackage) URL() string {
	if p.Repository.URL == "" || p.Path == "" {
		return ""
	}
	return strings.TrimSuffix(p.Repository.URL, "/") + "/" + p.File()
}

// File returns the path of a package as URLs have it: a name can have a percent sign, which apt
// escapes, too.
func (p LockedPackage) File() string { return (&url.URL{Path: p.Path}).EscapedPath() }

// MirrorsOf returns the second places of a repository, in the order of slipway.yaml.
func (p Packages) MirrorsOf(r LockedRepository) (all []LockedRepository) {
	for _, m := range p.Mirrors {
		if m.For == strings.TrimSuffix(r.URL, "/") {
			mirror := r
			mirror.URL = m.URL
			all = append(all, mirror)
		}
	}
	return all
}
