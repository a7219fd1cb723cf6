package airgap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// plan is one bundle before it is written.
type plan struct {
	name     string // of the file, without .tar.zst
	contents *bundle.Contents
	layout   *bundle.Layout
}

// newPlans decides the contents of each bundle. With partial, bundles need not have all images.
// The error has everything that is wrong with the images.
func newPlans(st *store.Store, l *lock.Lock, targets []Target, first string, partial bool) ([]*plan, error) {
	sources, omitted, err := readSources(st, l)
	if err != nil {
		return nil, err
	}
	if n := slices.IndexFunc(sources, func(s source) bool { return first != "" && (s.own == first || s.Listed == first) }); n > 0 {
		sources = slices.Concat(sources[n:n+1], sources[:n], sources[n+1:])
	}
	var plans []*plan
	packed := map[string]bool{}
	for _, t := range targets {
		c := &bundle.Contents{Product: l.Name, Version: l.Version, Created: l.Created, Snapshot: l.Snapshot, Platform: t.Platform, Omitted: slices.Clone(omitted)}
		choose(c, sources)
		for _, i := range c.Images {
			packed[i.Name] = true
		}
		layout, err := bundle.NewLayout(c)
		if err != nil {
			return nil, fmt.Errorf("bundle %s: %w", t.Name, err)
		}
		plans = append(plans, &plan{t.Name, c, layout})
	}
	if partial {
		return slices.DeleteFunc(plans, func(p *plan) bool { return len(p.contents.Images) == 0 }), nil
	}
	return plans, checkPlans(plans, sources, packed)
}

// checkPlans reports images that are in no bundle, and bundles without images.
func checkPlans(plans []*plan, sources []source, packed map[string]bool) error {
	var errs []error
	for _, s := range sources {
		if !packed[s.Name] && !s.Chart {
			errs = append(errs, inNoBundle(s.Name, s.platforms()))
		}
	}
	for _, p := range plans {
		if len(p.contents.Images) == 0 {
			errs = append(errs, wouldBeEmpty(p.name, p.contents.Platform))
		}
	}
	return errors.Join(errs...)
}

// choose adds to c what a bundle for its platform includes of the sources, and why it omits others.
func choose(c *bundle.Contents, sources []source) {
	chosen := map[*source]int{} // the manifest; -1 for all
	var included []*source
	for n := range sources {
		s := &sources[n]
		if s.Chart && !c.Platform.IsZero() {
			continue // nodes install no charts
		}
		at, reason := s.choose(c.Platform)
		if reason != "" && (s.partial || s.Floating) {
			continue // its other tags are enough
		}
		if reason != "" {
			c.Omitted = append(c.Omitted, bundle.Omission{Name: s.Name, Reason: reason})
			continue
		}
		chosen[s] = at
		included = append(included, s)
	}
	only := manifestOnly(c.Platform, included, chosen)
	for _, s := range included {
		i := s.Image
		if at := chosen[s]; at >= 0 {
			i = i.Select(func(_ int, m bundle.Manifest) oci.Presence {
				switch {
				case m.Desc.Digest == s.Manifests[at].Desc.Digest:
					return oci.Included
				case only(m):
					return oci.ManifestOnly
				}
				return oci.Absent
			})
			if !platform.Same(s.Manifests[at].Platform, c.Platform) {
				i.Fallback = c.Platform
			}
		}
		for _, m := range i.Included() {
			c.StubBases = c.StubBases || s.stub[m.Desc.Digest]
		}
		c.Images = append(c.Images, i)
	}
}

// choose returns the manifest that a bundle for p includes, -1 for all of them if p is zero, or the
// reason for none. Of an image of the product it is the one for p. Of a third-party image without
// one it is the best of those that nodes of p run. It is at most one: a runtime runs the first that
// matches.
func (s *source) choose(p platform.Platform) (at int, reason string) {
	if p.IsZero() {
		return -1, ""
	}
	if s.lifecycle {
		return 0, "no node runs it: it is in the bundle for all platforms"
	}
	if s.os != nil && !slices.Contains(s.os, p.OS) {
		return 0, fmt.Sprintf("only pods on %s name it", strings.Join(s.os, " and "))
	}
	var numbers []int
	var platforms []platform.Platform
	for n, m := range s.Manifests {
		if m.Runnable {
			numbers, platforms = append(numbers, n), append(platforms, m.Platform)
		}
	}
	best := platform.Best(p, platforms)
	if best >= 0 && (s.Listed != "" || platform.Same(platforms[best], p)) {
		return numbers[best], ""
	}
	// the same text for every bundle that omits the image, so that a report has it once
	return 0, fmt.Sprintf("is for %s only", list(s.platforms()))
}

func (s *source) platforms() (all []platform.Platform) {
	for _, m := range s.Manifests {
		if m.Runnable {
			all = append(all, m.Platform)
		}
	}
	return all
}
