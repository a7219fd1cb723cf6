package release

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// checkListed reports images that the list of a group names and that lack a platform which a bundle of
// the group is for: who writes a list means that each bundle has all of it.
func checkListed(p *product.Product, l *lock.Lock) error {
	listed := map[string]product.ThirdParty{}
	for _, t := range p.Airgap.Images {
		if t.Listed {
			listed[t.Text] = t
		}
	}
	var errs []error
	for _, t := range l.ThirdParty {
		of, ok := listed[t.Reference]
		if !ok || t.Omitted != "" {
			continue
		}
		for _, b := range p.Airgap.Bundles {
			in := slices.ContainsFunc(t.Groups, func(g string) bool { return slices.Contains(b.Groups, g) })
			if !in || b.ListOnly || b.Platform.IsZero() || platform.Best(b.Platform, t.Platforms) >= 0 {
				continue
			}
			var has []string
			for _, p := range t.Platforms {
				has = append(has, p.String())
			}
			errs = append(errs, fmt.Errorf("%s: %s has no %s, and bundle %s of group %s is for it: it has %s; "+
				"take the line out, or the platform out of the bundle", of.Pos, t.Reference, b.Platform, b.Name,
				strings.Join(b.Groups, " and "), strings.Join(has, ", ")))
		}
	}
	return errors.Join(errs...)
}
