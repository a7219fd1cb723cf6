package debian

import (
	"net/url"
	"strings"
)

// Repository is where packages come from: one component of a suite. The fields that Release files
// have are what preferences match.
type Repository struct {
	URL       string // without the suite: http://deb.debian.org/debian
	Suite     string // as sources name it: bookworm, stable/updates, or ./ of a flat repository
	Component string // empty if the repository is flat

	Archive  string // Suite of the Release file: stable
	Codename string // bookworm
	Origin   string
	Label    string
	Version  string // of the release: 12.5

	NotAutomatic         bool
	ButAutomaticUpgrades bool
}

// Describe fills in what the Release file of the repository says about it.
func (r *Repository) Describe(rel *Release) {
	r.Archive, r.Codename, r.Origin, r.Label, r.Version = rel.Suite, rel.Codename, rel.Origin, rel.Label, rel.Version
	r.NotAutomatic, r.ButAutomaticUpgrades = rel.NotAutomatic, rel.ButAutomaticUpgrades
}

// String returns the repository as sources.list has it: URL suite component.
func (r *Repository) String() string {
	return strings.TrimSpace(r.URL + " " + r.Suite + " " + r.Component)
}

// site returns the host of the repository, which "Pin: origin" matches. It is empty for files.
func (r *Repository) site() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// source is an index that was read into a universe: of a repository, or the status of an
// installation, or an archive that was given as a file.
type source struct {
	repository *Repository
	status     bool
	file       string // the name of an archive
	arch       string // of the index
	number     int
}
