package airgap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// CheckTargets reports what [Pack] would: images of a lock that no bundle includes, and bundles that
// would be empty. It needs neither digests nor a store, so that a release is checked before it is
// pushed. A third-party image without platforms may have any.
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
			return i.Kind != kindLifecycle && slices.ContainsFunc(platforms, func(o platform.Platform) bool { return platform.Same(o, p) })
		})
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			continue
		}
		check(t.Reference, t.Platforms, func(p platform.Platform) bool {
			return (t.OS == nil || slices.Contains(t.OS, p.OS)) && (len(t.Platforms) == 0 || platform.Best(p, t.Platforms) >= 0)
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
	return fmt.Errorf("%s is in no bundle: it has %s; add a bundle for one of these or for all platforms, or remove the image with a line !%s in images.txt", name, list(platforms), name)
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
