package lint

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// catalog returns the images of a lock and the platforms of its release.
func catalog(l *lock.Lock) (images lock.Catalog, platforms []platform.Platform) {
	if l == nil {
		return nil, nil
	}
	images = l.Catalog()
	for _, i := range images {
		if i.Product {
			platforms = append(platforms, i.Platforms...)
		}
	}
	platform.Sort(platforms)
	return images, slices.CompactFunc(platforms, platform.Same)
}

// has reports whether a platform of an image has an operating system.
func has(i lock.CatalogImage, os string) bool {
	return slices.ContainsFunc(i.Platforms, func(p platform.Platform) bool { return p.OS == os })
}

// format lists platforms for a message.
func format(list []platform.Platform) string {
	if len(list) == 0 {
		return "no platform"
	}
	var all []string
	for _, p := range list {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

// ask looks up pinned images that are not in the lock in their registries.
func (c *checker) ask(ctx context.Context) error {
	if c.options.Remote == nil {
		return nil
	}
	var all []string
	for _, p := range c.pods {
		for _, r := range workload.References(p.spec) {
			all = append(all, r.Image)
		}
	}
	for _, t := range c.order {
		all = append(all, t.refs...)
	}
	var refs []name.Digest
	seen := map[string]bool{}
	for _, ref := range all {
		d, err := name.NewDigest(ref)
		if _, known := c.images.Find(ref); err != nil || known || seen[ref] {
			continue
		}
		seen[ref] = true
		refs = append(refs, d)
	}
	if len(refs) == 0 {
		return nil
	}
	there, err := c.options.Remote(ctx, refs)
	if err != nil {
		return err
	}
	for _, d := range refs {
		platforms, ok := there[d.String()]
		if !ok {
			c.missing[d.String()] = true
			continue
		}
		c.images = append(c.images, lock.CatalogImage{Name: d.String(), Repository: d.Context(), Digest: d.DigestStr(), Reference: d.String(), Platforms: platforms})
	}
	return nil
}
