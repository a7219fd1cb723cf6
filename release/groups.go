package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// member is an image of a release, and the groups that it is in.
type member struct {
	name   string
	groups []string
	on     func(platform.Platform) bool // whether it may be in a bundle for a platform
}

// members lists the images of a product whose manifests have been read, without those that no
// bundle has.
func members(p *product.Product) (all []member) {
	for _, i := range p.Images {
		all = append(all, member{i.Name, p.Airgap.Members[i.Name], func(on platform.Platform) bool {
			same := func(q platform.Platform) bool { return platform.Same(q, on) }
			return on.IsZero() || slices.ContainsFunc(i.Platforms, same)
		}})
	}
	for _, t := range p.Airgap.Images {
		if t.Omitted == "" {
			all = append(all, member{t.Text, t.Groups, func(on platform.Platform) bool {
				return on.IsZero() || t.OS == nil || slices.Contains(t.OS, on.OS)
			}})
		}
	}
	return all
}

// groupWarnings returns a line about images in no group, and one about images in several.
func groupWarnings(p *product.Product) (lines []string) {
	if len(p.Airgap.Groups) == 0 {
		return nil
	}
	var none, several []string
	for _, m := range members(p) {
		switch {
		case len(m.groups) == 0:
			none = append(none, m.name)
		case len(m.groups) > 1:
			several = append(several, m.name+" ("+strings.Join(m.groups, ", ")+")")
		}
	}
	if len(none) > 0 {
		lines = append(lines, fmt.Sprintf("warning: in no group of airgap.groups: %s: "+
			"only bundles of all images include them", few(none)))
	}
	if len(several) > 0 {
		lines = append(lines, "warning: in several groups, each bundle of which has the image: "+few(several))
	}
	return lines
}

// few joins the first names of a list.
func few(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// count fills in how many images a bundle has, and how many of these its group adds to another
// group. Third-party images may turn out not to be for its platform.
func count(b *PlannedBundle, of product.Bundle, p *product.Product) {
	base := ""
	if len(of.Groups) == 1 {
		n := slices.IndexFunc(p.Airgap.Groups, func(g product.Group) bool { return g.Name == of.Groups[0] })
		base = p.Airgap.Groups[n].AddsTo
	}
	for _, m := range members(p) {
		in := len(of.Groups) == 0 ||
			slices.ContainsFunc(m.groups, func(g string) bool { return slices.Contains(of.Groups, g) })
		if !in || !m.on(of.Platform) {
			continue
		}
		b.Images++
		if base != "" && !slices.Contains(m.groups, base) {
			b.Adds++
		}
	}
	b.Groups, b.AddsTo, b.Sparse, b.ListOnly = of.Groups, base, of.Base != "", of.ListOnly
}
