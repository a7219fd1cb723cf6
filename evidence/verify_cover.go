package evidence

import (
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
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
		if !m.Anonymous && (m.Product != p.Name || m.Version != p.Version || !m.Created.Equal(p.Created)) {
			return fmt.Errorf("%s says that it is %s, and the signed statement is of %s", m.From, m.release(), release(p.Name, p.Version, p.Created))
		}
	}
	return nil
}

// covers checks every image of the materials.
func (s *statement) covers(all []Material) error {
	var errs []error
	for _, m := range all {
		if err := s.omits(m); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", m.From, err))
		}
		for _, i := range m.Images {
			if err := s.image(m, i); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", m.From, i.Name, err))
			}
			if len(errs) >= maxProblems {
				return errors.Join(append(errs, fmt.Errorf("%s: there may be more", m.From))...)
			}
		}
	}
	return errors.Join(errs...)
}

// image checks that the statement names an image and the manifests that are included, or that it
// lists a third-party image. An anonymous material does not state which of the two it is.
func (s *statement) image(m Material, i bundle.Image) error {
	if err := isFor(m.Platform, i); err != nil {
		return err
	}
	subject, ok := s.Subject(i.Digest().Hex)
	switch {
	case !ok && (i.Listed != "" || m.Anonymous):
		return s.listed(i)
	case !ok:
		return s.unknown(i)
	case i.Listed != "":
		return fmt.Errorf("it is marked as an image of others, and by the signed statement %s is the release's: a mark was forged", i.Digest())
	}
	if err := s.named(subject, m.Anonymous, i); err != nil {
		return err
	}
	if err := isKind(subject, i); err != nil {
		return err
	}
	return s.complete(m.From, i)
}

// complete checks the manifests that are included, and that the statement refers to the image.
func (s *statement) complete(from string, i bundle.Image) error {
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
