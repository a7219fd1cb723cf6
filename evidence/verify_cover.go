package evidence

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/provenance"
)

// maxProblems is how many images that a statement does not cover an error lists.
const maxProblems = 20

// localRegistry is the registry of snapshots.
const localRegistry = "slipway.local"

// statement is a verified statement.
type statement struct {
	*provenance.Statement

	blob     v1.Hash // of the Sigstore bundle
	attached map[attachment]bool
	// given means that the operator named a file with the statement, such as that of another
	// builder: nothing needs to refer to it.
	given bool
}

// attachment is what the bundle of a statement refers to in a material.
type attachment struct {
	from    string
	subject v1.Hash
}

// isOf checks that a statement is of the release that the materials claim to be.
func (s *statement) isOf(all []Material) error {
	p := s.Predicate.BuildDefinition.ExternalParameters
	for _, r := range p.Registries {
		if r == localRegistry {
			return errors.New("the statement is of a snapshot: its key should not have signed it: take a release")
		}
	}
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Stub {
			return fmt.Errorf("the statement is of images on stub bases, such as %.200q, which cannot run: its key should not have signed it: take a release", d.URI)
		}
	}
	if len(p.Registries) == 0 {
		return errors.New("the statement is of a snapshot, which has no registry: its key should not have signed it: take a release")
	}
	for _, m := range all {
		if m.Product != "" && (m.Product != p.Name || m.Version != p.Version || !m.Created.Equal(p.Created)) {
			return fmt.Errorf("%s says that it is %s, and the signed statement is of %s", m.From, m.release(), release(p.Name, p.Version, p.Created))
		}
	}
	return nil
}

// covers checks every image of the materials.
func (s *statement) covers(all []Material) error {
	var errs []error
	for _, m := range all {
		for _, i := range m.Images {
			if err := s.image(m.From, m.Product != "", i); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", m.From, i.Name, err))
			}
			if len(errs) == maxProblems {
				return errors.Join(append(errs, fmt.Errorf("%s: there may be more", m.From))...)
			}
		}
	}
	return errors.Join(errs...)
}

// image checks that the statement names an image and the manifests that are included, or that it
// lists an image of others. A material without product does not tell which of the two it is.
func (s *statement) image(from string, product bool, i bundle.Image) error {
	subject, ok := s.Subject(i.Digest().Hex)
	if !ok {
		if i.Listed != "" || !product {
			return s.listed(i)
		}
		return s.unknown(i)
	}
	if err := s.named(subject, product, i); err != nil {
		return err
	}
	if err := isKind(subject, i); err != nil {
		return err
	}
	attached := s.attached[attachment{from, i.Digest()}]
	for _, m := range i.Included() {
		if m.Desc.Digest == i.Digest() {
			continue
		}
		attached = attached || s.attached[attachment{from, m.Desc.Digest}]
		child, ok := s.Subject(m.Desc.Digest.Hex)
		switch {
		case !ok:
			return fmt.Errorf("its manifest %s for %s is not in the signed statement", m.Desc.Digest, m.Platform)
		case !slices.Contains(child.Annotations.Index, i.Digest().Hex):
			return fmt.Errorf("its manifest %s for %s belongs to another index by the signed statement", m.Desc.Digest, m.Platform)
		}
	}
	if !attached && !s.given {
		return errors.New("the signed statement does not refer to it: its evidence was removed, so that a cluster would find none: take the release from the maintainer again")
	}
	return nil
}

// unknown explains why the product's image is not a subject: the statement may have its name with
// another digest.
func (s *statement) unknown(i bundle.Image) error {
	for _, other := range s.Subjects {
		if slices.Contains(other.Annotations.Names, i.Name) {
			return fmt.Errorf("it is %s, and by the signed statement sha256:%s: it was exchanged", i.Digest(), other.Digest.SHA256)
		}
	}
	return fmt.Errorf("the signed statement has neither the name nor %s: it is not of this release", i.Digest())
}

// named checks that the release gives this very name to a subject, or for a floating tag, which no
// statement has, this very repository. A manifest that was extracted has the names of its indexes.
func (s *statement) named(subject provenance.Subject, product bool, i bundle.Image) error {
	names := subject.Annotations.Names
	for _, h := range subject.Annotations.Index {
		if index, ok := s.Subject(h); ok && !product {
			names = slices.Concat(names, index.Annotations.Names)
		}
	}
	same := func(name string) bool {
		own, _ := parseName(name)
		repository, _ := parseName(i.Name)
		return name == i.Name || i.Floating && own == repository
	}
	if !slices.ContainsFunc(names, same) {
		return fmt.Errorf("%s is %.200q by the signed statement: a name was exchanged", i.Digest(), subject.Name)
	}
	return nil
}

// isKind checks that an index, a chart and a manifest are what the statement says.
func isKind(subject provenance.Subject, i bundle.Image) error {
	kind := provenance.KindManifest
	switch {
	case i.Chart:
		kind = provenance.KindChart
	case i.Tree.Desc.MediaType.IsIndex():
		kind = provenance.KindIndex
	}
	if subject.Annotations.Kind != kind {
		return fmt.Errorf("%s is of the kind %s here, and of the kind %.40q by the signed statement", i.Digest(), kind, subject.Annotations.Kind)
	}
	return nil
}

// listed checks that an image of others is one that the release was made with, by digest and name.
// The statement does not prove who made it.
func (s *statement) listed(i bundle.Image) error {
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
		return fmt.Errorf("%s is %.200q by the signed statement: a name was exchanged", i.Digest(), other)
	}
	return fmt.Errorf("the signed statement does not list %s, an image of others: it was exchanged or added", i.Digest())
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
