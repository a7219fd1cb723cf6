// Scanner prints what syft and grype find below the directory of an image: the packages of Debian
// that syft's cataloger lists, and those for which grype's matcher takes vulnerabilities that are
// made up, one of each source and binary package in every version.
//
//	scanner DIR RELEASE
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/anchore/grype/grype/distro"
	"github.com/anchore/grype/grype/matcher/dpkg"
	grype "github.com/anchore/grype/grype/pkg"
	"github.com/anchore/grype/grype/version"
	"github.com/anchore/grype/grype/vulnerability"
	"github.com/anchore/grype/grype/vulnerability/mock"
	syft "github.com/anchore/syft/syft/pkg"
	"github.com/anchore/syft/syft/pkg/cataloger/debian"
	"github.com/anchore/syft/syft/source"
	"github.com/anchore/syft/syft/source/directorysource"
)

// found is a package.
type found struct {
	Name, Version, PURL, Source string
	Licenses                    []string
	Matches                     []string // IDs of vulnerabilities
}

func main() {
	list, err := scan(context.Background(), os.Args[1], os.Args[2])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func scan(ctx context.Context, dir, release string) ([]found, error) {
	src, err := directorysource.New(directorysource.Config{Path: dir, Base: dir})
	if err != nil {
		return nil, err
	}
	files, err := src.FileResolver(source.SquashedScope)
	if err != nil {
		return nil, err
	}
	packages, _, err := debian.NewDBCataloger().Catalog(ctx, files)
	if err != nil {
		return nil, err
	}
	on := distro.New(distro.Debian, release, "")
	var known []vulnerability.Vulnerability
	names := map[string]bool{}
	var list []grype.Package
	for _, p := range packages {
		g := grype.New(p)
		g.Distro = on
		list = append(list, g)
		names[p.Name] = true
		for _, u := range g.Upstreams {
			names[u.Name] = true
		}
	}
	for name := range names {
		known = append(known, vulnerability.Vulnerability{
			Reference:   vulnerability.Reference{ID: "CVE-" + name, Namespace: "debian:distro:debian:" + release},
			PackageName: name, Constraint: version.MustGetConstraint("", version.DebFormat),
		})
	}
	provider := mock.VulnerabilityProvider(known...)
	matcher := dpkg.NewDpkgMatcher(dpkg.MatcherConfig{})
	var all []found
	for n, p := range packages {
		f := found{Name: p.Name, Version: p.Version, PURL: p.PURL}
		if m, ok := p.Metadata.(syft.DpkgDBEntry); ok {
			f.Source = cmp.Or(m.Source, p.Name)
		}
		for _, l := range p.Licenses.ToSlice() {
			f.Licenses = append(f.Licenses, l.Value)
		}
		slices.Sort(f.Licenses)
		matches, _, err := matcher.Match(provider, list[n])
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			f.Matches = append(f.Matches, m.Vulnerability.ID)
		}
		slices.Sort(f.Matches)
		f.Matches = slices.Compact(f.Matches)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.PURL, b.PURL) })
	return all, nil
}
