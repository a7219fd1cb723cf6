package airgap

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// plan is one bundle before it is written.
type plan struct {
	target Target
	*bundle.Layout
	// omitted means that a snapshot omits all images of its groups.
	omitted bool
}

// newPlans decides the contents of each bundle, without those of groups all of whose images a
// snapshot omits. With partial, bundles need not have all images. The error has everything
// that is wrong with the images.
func newPlans(from reader, l *lock.Lock, targets []Target, first string, partial bool) ([]*plan, error) {
	if err := checkListed(l, targets); err != nil {
		return nil, err
	}
	sources, omitted, err := readSources(from, entries(l))
	if err != nil {
		return nil, err
	}
	if n := slices.IndexFunc(sources, func(s source) bool { return first != "" && s.entry.title == first }); n > 0 {
		sources = slices.Concat(sources[n:n+1], sources[:n], sources[n+1:])
	}
	var plans []*plan
	packed := map[string]bool{}
	for _, t := range targets {
		p, err := newPlan(l, t, sources, omitted)
		if err != nil {
			return nil, err
		}
		for _, i := range p.Contents.Images {
			packed[i.Name] = packed[i.Name] || !t.ListOnly
		}
		plans = append(plans, p)
	}
	if err := sparse(plans); err != nil {
		return nil, err
	}
	if partial {
		return slices.DeleteFunc(plans, func(p *plan) bool { return len(p.Contents.Images) == 0 }), nil
	}
	plans = slices.DeleteFunc(plans, func(p *plan) bool { return p.omitted })
	return plans, checkPlans(plans, sources, packed)
}

// newPlan decides the contents of a bundle, with all their layers.
func newPlan(l *lock.Lock, t Target, sources []source, omitted []entry) (*plan, error) {
	c := &bundle.Contents{
		Product: l.Name, Version: l.Version, Created: l.Created, Snapshot: l.Snapshot,
		Platform: t.Platform, Groups: t.Groups,
	}
	for _, e := range omitted {
		if t.takes(e) {
			c.Omitted = append(c.Omitted, bundle.Omission{Name: e.Reference, Reason: e.omitted})
		}
	}
	left := len(t.Groups) > 0 && slices.ContainsFunc(c.Omitted, func(o bundle.Omission) bool {
		return o.Reason == lock.NoNetwork
	})
	choose(c, t, sources)
	layout, err := bundle.NewLayout(c)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", t.Name, err)
	}
	return &plan{t, layout, left && len(c.Images) == 0}, nil
}

// sparse takes out of bundles the layers that those have which they complete.
func sparse(plans []*plan) error {
	for _, p := range plans {
		if p.target.Base == "" {
			continue
		}
		n := slices.IndexFunc(plans, func(o *plan) bool { return o.target.Name == p.target.Base })
		if n < 0 {
			return fmt.Errorf("bundle %s lacks what %s has, which is not packed: pack both", p.target.Name,
				p.target.Base)
		}
		c, err := p.Contents.Needing(plans[n].Contents, p.target.Base+distfile.BundleSuffix)
		if err != nil {
			return fmt.Errorf("bundle %s: %w", p.target.Name, err)
		}
		if p.Layout, err = bundle.NewLayout(c); err != nil {
			return fmt.Errorf("bundle %s: %w", p.target.Name, err)
		}
	}
	return nil
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
			errs = append(errs, wouldBeEmpty(p.target))
		}
	}
	return errors.Join(errs...)
}

// CheckTargets reports what [Pack] would: images of a lock that no bundle includes, and bundles
// that would be empty. Neither digests nor a store are needed, so that a release is checked
// before it is pushed. A third-party image without platforms may have any.
func CheckTargets(l *lock.Lock, targets []Target) error {
	filled := make([]bool, len(targets))
	var errs []error
	check := func(name string, groups []string, platforms []platform.Platform, has func(platform.Platform) bool) {
		packed := false
		for n, t := range targets {
			if t.takes(entry{groups: groups}) && (t.Platform.IsZero() || has(t.Platform)) {
				filled[n], packed = true, packed || !t.ListOnly
			}
		}
		if !packed {
			errs = append(errs, inNoBundle(name, platforms))
		}
	}
	for _, i := range l.Images {
		var platforms []platform.Platform
		keys := map[platform.Key]bool{}
		for _, c := range i.Children {
			platforms, keys[c.Platform.Key()] = append(platforms, c.Platform), i.Kind != kindLifecycle
		}
		check(i.Tagged(), i.Groups, platforms, func(p platform.Platform) bool { return keys[p.Key()] })
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			for n, target := range targets {
				filled[n] = filled[n] || t.Omitted == lock.NoNetwork && len(target.Groups) > 0 &&
					target.takes(entry{groups: t.Groups})
			}
			continue
		}
		check(t.Reference, t.Groups, t.Platforms, func(p platform.Platform) bool {
			return (t.OS == nil || slices.Contains(t.OS, p.OS)) &&
				(t.Platforms == nil || platform.Best(p, t.Platforms) >= 0) // nil is not read yet
		})
	}
	for n, t := range targets {
		if !filled[n] {
			errs = append(errs, wouldBeEmpty(t))
		}
	}
	return errors.Join(append(errs, checkListed(l, targets))...)
}

// checkListed reports images that the list of a group names and that lack a platform which a
// bundle of the group is for: who writes a list means that each bundle has all of it.
func checkListed(l *lock.Lock, targets []Target) error {
	var errs []error
	for _, t := range l.ThirdParty {
		if t.Omitted != "" || len(t.Platforms) == 0 {
			continue
		}
		for _, b := range targets {
			in := slices.ContainsFunc(t.Listed, func(g string) bool { return slices.Contains(b.Groups, g) })
			if in && !b.ListOnly && !b.Platform.IsZero() && platform.Best(b.Platform, t.Platforms) < 0 {
				errs = append(errs, fmt.Errorf("%s: %s has no %s, and bundle %s of group %s is for it: it has %s; "+
					"take the line out, or the platform out of the bundle", t.From[0], t.Reference, b.Platform, b.Name,
					strings.Join(b.Groups, " and "), list(t.Platforms)))
			}
		}
	}
	return errors.Join(errs...)
}

func inNoBundle(name string, platforms []platform.Platform) error {
	return fmt.Errorf("%s is in no bundle: it has %s; add a bundle for one of these or for all platforms, "+
		"or remove the image with a line !%s in images.txt", name, list(platforms), name)
}

func list(platforms []platform.Platform) string {
	if len(platforms) == 0 {
		return "no platform"
	}
	var all []string
	for _, p := range platforms {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

func wouldBeEmpty(t Target) error {
	if len(t.Groups) > 0 {
		return fmt.Errorf("bundle %s would be empty: no image of group %s is for %s", t.Name,
			strings.Join(t.Groups, " or "), cmp.Or(t.Platform.String(), "any platform"))
	}
	return fmt.Errorf("bundle %s would be empty: no image has %s", t.Name,
		cmp.Or(t.Platform.String(), "a platform: add images to the release"))
}

// writeLists writes the lists of plans that have no archive, and returns the names of the files.
// Plans with one name have one list, in which each image is once, sorted.
func writeLists(plans []*plan, dir string, changing func() error) (names []string, err error) {
	lines := map[string][]string{}
	for _, p := range plans {
		name := p.target.Name + distfile.ListSuffix
		if lines[name] == nil {
			names = append(names, name)
		}
		for _, i := range p.Contents.Images {
			if !i.Chart {
				lines[name] = append(lines[name], i.Name)
			}
		}
	}
	for _, name := range names {
		slices.Sort(lines[name])
		text := strings.Join(slices.Compact(lines[name]), "\n") + "\n"
		if err := bundle.WriteList(filepath.Join(dir, name), text, changing); err != nil {
			return nil, err
		}
	}
	return names, nil
}
