package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/platform"
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
			return fmt.Errorf("the statement is of images on stub bases, such as %.200q, which cannot run: "+
				"its key should not have signed it: take a release", d.URI)
		}
	}
	if len(p.Registries) == 0 {
		return errors.New("the statement is of a snapshot, which has no registry: " +
			"its key should not have signed it: take a release")
	}
	for _, m := range all {
		if !m.Anonymous && (m.Product != p.Name || m.Version != p.Version || !m.Created.Equal(p.Created)) {
			return fmt.Errorf("%s says that it is %s, and the signed statement is of %s", m.From,
				m.release(), release(p.Name, p.Version, p.Created))
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
		return fmt.Errorf("it is marked as a third-party image, "+
			"and by the signed statement %s is the release's: a mark was forged", i.Digest())
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
			return fmt.Errorf("its manifest %s for %s belongs to another index by the signed statement",
				m.Desc.Digest, m.Platform)
		}
	}
	if !attached && !s.given {
		return errors.New("the signed statement does not refer to it: " +
			"its evidence was removed, so that a cluster would find none: take the release from the maintainer again")
	}
	return nil
}

// unknown explains why the product's image is not a subject: the statement may have its name with
// another digest.
func (s *statement) unknown(i bundle.Image) error {
	for _, other := range s.Subjects {
		if slices.Contains(other.Annotations.Names, i.Name) {
			return fmt.Errorf("it is %s, and by the signed statement sha256:%s: it was exchanged",
				i.Digest(), other.Digest.SHA256)
		}
	}
	return fmt.Errorf("the signed statement has neither the name nor %s: it is not of this release", i.Digest())
}

// named checks that the release gives this very name to a subject, and that the name floats exactly
// if it floats by the statement: what floats may take a tag from another image. A manifest that was
// extracted has the names of its indexes, and an extracted image does not state what floats.
func (s *statement) named(subject provenance.Subject, anonymous bool, i bundle.Image) error {
	names, floating := subject.Annotations.Names, subject.Annotations.Floating
	for _, h := range subject.Annotations.Index {
		if index, ok := s.Subject(h); ok && anonymous {
			names, floating = slices.Concat(names, index.Annotations.Names),
				slices.Concat(floating, index.Annotations.Floating)
		}
	}
	stays, floats := slices.Contains(names, i.Name), slices.Contains(floating, i.Name)
	switch {
	case i.Floating && floats || !i.Floating && stays || anonymous && floats:
		return nil
	case stays:
		return fmt.Errorf("its tag floats here, and never moves by the signed statement: a mark was forged")
	case floats:
		return fmt.Errorf("its tag floats by the signed statement, and not here: a mark was removed")
	case i.Floating:
		return fmt.Errorf("%s is %.200q in the signed statement, "+
			"which gives it no such floating tag: the name was changed", i.Digest(), subject.Name)
	}
	return fmt.Errorf("%s is %.200q in the signed statement: the name was changed", i.Digest(), subject.Name)
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
		return fmt.Errorf("%s is of the kind %s here, and of the kind %.40q by the signed statement",
			i.Digest(), kind, subject.Annotations.Kind)
	}
	return nil
}

// isFor checks that what a bundle includes is for the platform that the bundle says it is for, or
// is marked as what nodes of that platform run instead. So the bundle cannot say that it is for
// other nodes than those that its images are for, to whom other images are missing.
func isFor(p platform.Platform, i bundle.Image) error {
	if p.IsZero() || !i.Fallback.IsZero() {
		return nil
	}
	for _, m := range i.Included() {
		if m.Runnable && !platform.Same(m.Platform, p) {
			return fmt.Errorf("it is for %s, in a bundle that says that it is for %s: "+
				"the platform of the bundle was forged", m.Platform, p)
		}
	}
	return nil
}

// listed checks that a third-party image is one that the release was made with, by digest and
// name. The statement does not prove who made it. No release moves third-party tags.
func (s *statement) listed(i bundle.Image) error {
	if i.Floating {
		return fmt.Errorf("%s has a floating tag here, and by the signed statement none: a mark was forged", i.Digest())
	}
	var other []string
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Digest.SHA256 != i.Digest().Hex || d.Annotations.Kind != provenance.KindImage {
			continue
		}
		if slices.Contains(d.Annotations.Names, i.Name) {
			return nil
		}
		other = d.Annotations.Names
	}
	if len(other) > 0 {
		return fmt.Errorf("%s is %.200q in the signed statement: the name was changed", i.Digest(),
			strings.Join(other, ", "))
	}
	return fmt.Errorf("the signed statement does not list %s, a third-party image: it was exchanged or added",
		i.Digest())
}

// omits checks that everything that a bundle says that it omits is of the release, by the
// statement.
func (s *statement) omits(m Material) error {
	p := s.Predicate.BuildDefinition
	for _, name := range m.Omitted {
		known := slices.Contains(p.ExternalParameters.Omitted, name) ||
			slices.ContainsFunc(s.Subjects, func(sub provenance.Subject) bool {
				return slices.Contains(sub.Annotations.Names, name) || slices.Contains(sub.Annotations.Floating, name)
			}) ||
			slices.ContainsFunc(p.ResolvedDependencies, func(d provenance.Dependency) bool {
				return d.Annotations.Kind == provenance.KindImage && slices.Contains(d.Annotations.Names, name)
			})
		here := slices.ContainsFunc(m.Images, func(i bundle.Image) bool { return i.Name == name })
		switch {
		case !known:
			return fmt.Errorf("it says that it omits %.200q, "+
				"which the signed statement does not know: the list was forged", name)
		case here:
			return fmt.Errorf("it says that it omits %.200q, which it has: the list was forged", name)
		}
	}
	return nil
}
