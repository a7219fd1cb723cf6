package airgap

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
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
	sources, omitted, err := readSources(st, entries(l))
	if err != nil {
		return nil, err
	}
	if n := slices.IndexFunc(sources, func(s source) bool { return first != "" && s.entry.title == first }); n > 0 {
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
