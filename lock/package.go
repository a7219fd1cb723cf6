package lock

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Package is a package of a Linux distribution that is installed in an image, as the database of
// its package manager has it.
type Package struct {
	Type         string `json:"type"` // of package URLs: "deb"
	Name         string `json:"name"`
	Version      string `json:"version"`
	Architecture string `json:"architecture"` // in the words of the distribution: amd64, all
	// Source and SourceVersion are the package of sources that it was built from, where they are
	// not its own name and version.
	Source        string `json:"source,omitempty"`
	SourceVersion string `json:"sourceVersion,omitempty"`
	// Distribution, Release and Codename are ID, VERSION_ID and VERSION_CODENAME of os-release.
	Distribution string `json:"distribution,omitempty"`
	Release      string `json:"release,omitempty"`
	Codename     string `json:"codename,omitempty"`
	// Licenses is an SPDX expression; "" if it is not known.
	Licenses string `json:"licenses,omitempty"`
}

// PackageDeb is the type of Debian packages, and of those of distributions made from Debian.
const PackageDeb = "deb"

// MaxPackages bounds how many packages an image has. Debian has less than 70,000 for one
// architecture.
const MaxPackages = 100_000

// ComparePackages orders packages by name, architecture and version.
func ComparePackages(a, b Package) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Architecture, b.Architecture),
		cmp.Compare(a.Version, b.Version))
}

// String returns the package as messages have it: curl 7.88.1-10 for amd64.
func (p Package) String() string { return p.Name + " " + p.Version + " for " + p.Architecture }

// SourceName returns the name of the package of sources.
func (p Package) SourceName() string { return cmp.Or(p.Source, p.Name) }

var packageName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9+._-]*$`)

// Check returns an error if a field has a text that no package has.
func (p Package) Check() error {
	switch {
	case p.Type != PackageDeb:
		return fmt.Errorf("package %q is of type %q, which is not known", p.Name, p.Type)
	case !packageName.MatchString(p.Name):
		return fmt.Errorf("%q is not the name of a package", p.Name)
	case p.Version == "" || p.Architecture == "":
		return fmt.Errorf("package %s lacks its version or its architecture", p.Name)
	}
	texts := []string{
		p.Version, p.Architecture, p.Source, p.SourceVersion, p.Distribution, p.Release, p.Codename, p.Licenses,
	}
	for _, t := range texts {
		if strings.ContainsFunc(t, unprintable) {
			return fmt.Errorf("package %s has a text that cannot be printed: %q", p.Name, t)
		}
	}
	return nil
}

// unprintable reports whether a character is not part of a text on one line.
func unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

// check returns an error if what a manifest contains is not in order.
func (c Content) check() error {
	if len(c.Packages) > MaxPackages {
		return fmt.Errorf("%s has more than %d packages", c.Digest, MaxPackages)
	}
	for n, p := range c.Packages {
		if err := p.Check(); err != nil {
			return fmt.Errorf("%s: %w", c.Digest, err)
		}
		if n > 0 && ComparePackages(c.Packages[n-1], p) >= 0 {
			return fmt.Errorf("%s: its packages are not in order at %s", c.Digest, p.Name)
		}
	}
	return nil
}

// checkContents checks each of a list.
func checkContents(all []Content) error {
	var errs []error
	for _, c := range all {
		errs = append(errs, c.check())
	}
	return errors.Join(errs...)
}
