package evidence

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/platform"
)

// named checks that the release gives this very name to a subject, and that the name floats exactly
// if it floats by the statement: what floats may take a tag from another image. A manifest that was
// extracted has the names of its indexes, and an extracted image does not state what floats.
func (s *statement) named(subject provenance.Subject, anonymous bool, i bundle.Image) error {
	names, floating := subject.Annotations.Names, subject.Annotations.Floating
	for _, h := range subject.Annotations.Index {
		if index, ok := s.Subject(h); ok && anonymous {
			names, floating = slices.Concat(names, index.Annotations.Names), slices.Concat(floating, index.Annotations.Floating)
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
		return fmt.Errorf("%s is %.200q in the signed statement, which gives it no such floating tag: the name was changed", i.Digest(), subject.Name)
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
		return fmt.Errorf("%s is of the kind %s here, and of the kind %.40q by the signed statement", i.Digest(), kind, subject.Annotations.Kind)
	}
	return nil
}

// isFor checks that what a bundle includes is for the platform that the bundle says it is for, or
// is marked as what nodes of that platform run instead. So the bundle cannot say that it is for other
// nodes than those that its images are for, to whom other images are missing.
func isFor(p platform.Platform, i bundle.Image) error {
	if p.IsZero() || !i.Fallback.IsZero() {
		return nil
	}
	for _, m := range i.Included() {
		if m.Runnable && !platform.Same(m.Platform, p) {
			return fmt.Errorf("it is for %s, in a bundle that says that it is for %s: the platform of the bundle was forged", m.Platform, p)
		}
	}
	return nil
}
