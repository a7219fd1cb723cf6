package airgap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// plan is one bundle before it is written.
type plan struct {
	name string // of the file, without .tar.zst
	*bundle.Layout
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
		c := &bundle.Contents{
			Product: l.Name, Version: l.Version, Created: l.Created, Snapshot: l.Snapshot,
			Platform: t.Platform, Omitted: slices.Clone(omitted),
		}
		choose(c, sources)
		for _, i := range c.Images {
			packed[i.Name] = true
		}
		layout, err := bundle.NewLayout(c)
		if err != nil {
			return nil, fmt.Errorf("bundle %s: %w", t.Name, err)
		}
		plans = append(plans, &plan{t.Name, layout})
	}
	if partial {
		return slices.DeleteFunc(plans, func(p *plan) bool { return len(p.Contents.Images) == 0 }), nil
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
		if len(p.Contents.Images) == 0 {
			errs = append(errs, wouldBeEmpty(p.name, p.Contents.Platform))
		}
	}
	return errors.Join(errs...)
}

// CheckTargets reports what [Pack] would: images of a lock that no bundle includes, and bundles
// that would be empty. It needs neither digests nor a store, so that a release is checked before
// it is pushed. A third-party image without platforms may have any.
func CheckTargets(l *lock.Lock, targets []Target) error {
	filled := make([]bool, len(targets))
	var errs []error
	check := func(name string, platforms []platform.Platform, has func(platform.Platform) bool) {
		packed := false
		for n, t := range targets {
			if t.Platform.IsZero() || has(t.Platform) {
				filled[n], packed = true, true
			}
		}
		if !packed {
			errs = append(errs, inNoBundle(name, platforms))
		}
	}
	for _, i := range l.Images {
		var platforms []platform.Platform
		for _, c := range i.Children {
			platforms = append(platforms, c.Platform)
		}
		check(i.Tagged(), platforms, func(p platform.Platform) bool {
			return i.Kind != kindLifecycle && has(platforms, p)
		})
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			continue
		}
		check(t.Reference, t.Platforms, func(p platform.Platform) bool {
			return (t.OS == nil || slices.Contains(t.OS, p.OS)) &&
				(len(t.Platforms) == 0 || platform.Best(p, t.Platforms) >= 0)
		})
	}
	for n, t := range targets {
		if !filled[n] {
			errs = append(errs, wouldBeEmpty(t.Name, t.Platform))
		}
	}
	return errors.Join(errs...)
}

func inNoBundle(name string, platforms []platform.Platform) error {
	return fmt.Errorf("%s is in no bundle: it has %s; add a bundle for one of these or for all platforms, "+
		"or remove the image with a line !%s in images.txt", name, list(platforms), name)
}

func list(platforms []platform.Platform) string {
	var all []string
	for _, p := range platforms {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

func wouldBeEmpty(name string, p platform.Platform) error {
	return fmt.Errorf("bundle %s would be empty: no image has %s", name, p)
}

func has(list []platform.Platform, p platform.Platform) bool {
	return slices.ContainsFunc(list, func(o platform.Platform) bool { return platform.Same(o, p) })
}
