package evidence

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
)

// listed checks that a third-party image is one that the release was made with, by digest and
// name. The statement does not prove who made it. No release moves third-party tags.
func (s *statement) listed(i bundle.Image) error {
	if i.Floating {
		return fmt.Errorf("%s has a floating tag here, and by the signed statement none: a mark was forged", i.Digest())
	}
	var other string
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Digest.SHA256 != i.Digest().Hex || d.Annotations.Kind != provenance.KindImage {
			continue
		}
		if isPackage(d.URI, i.Name) {
			return nil
		}
		other = d.URI
	}
	if other != "" {
		return fmt.Errorf("%s is %.200q in the signed statement: the name was changed", i.Digest(), other)
	}
	return fmt.Errorf("the signed statement does not list %s, an image of others: it was exchanged or added", i.Digest())
}

// omits checks that everything that a bundle says that it omits is of the release, by the statement.
func (s *statement) omits(m Material) error {
	p := s.Predicate.BuildDefinition
	for _, name := range m.Omitted {
		known := slices.Contains(p.ExternalParameters.Omitted, name) ||
			slices.ContainsFunc(s.Subjects, func(sub provenance.Subject) bool {
				return slices.Contains(sub.Annotations.Names, name) || slices.Contains(sub.Annotations.Floating, name)
			}) ||
			slices.ContainsFunc(p.ResolvedDependencies, func(d provenance.Dependency) bool {
				return d.Annotations.Kind == provenance.KindImage && isPackage(d.URI, name)
			})
		here := slices.ContainsFunc(m.Images, func(i bundle.Image) bool { return i.Name == name })
		switch {
		case !known:
			return fmt.Errorf("it says that it omits %.200q, which the signed statement does not know: the list was forged", name)
		case here:
			return fmt.Errorf("it says that it omits %.200q, which it has: the list was forged", name)
		}
	}
	return nil
}

// isPackage reports whether a package URL means the image registry/repository:tag.
func isPackage(purl, image string) bool {
	repository, tag := parsePackage(purl)
	own, ownTag := parseName(image)
	return repository == own && (tag == "" || tag == ownTag)
}

// parsePackage returns the repository and the tag, which may be empty, that the package URL of an
// image has (https://github.com/package-url/purl-spec/blob/main/types-doc/oci-definition.md).
func parsePackage(purl string) (repository, tag string) {
	_, query, _ := strings.Cut(purl, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", ""
	}
	return values.Get("repository_url"), values.Get("tag")
}
