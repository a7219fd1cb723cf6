package product

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// restrict cuts the product down to the platforms and images that the options select, and names
// them in Selected where anything is omitted.
func (c *checker) restrict(o Options) {
	p := c.out
	if len(c.Errors) > 0 && (c.partly() || c.images.open) {
		return // what could be selected is not known
	}
	every := p.Platforms
	platforms := c.selectPlatforms(o.Platforms)
	only := c.selectImages(o.Images)
	if len(c.Errors) > 0 {
		return
	}
	if all := *p; len(platforms) < len(p.Platforms) || len(only) < len(p.Images) {
		p.Unselected = &all
	}
	if len(platforms) < len(p.Platforms) {
		for _, s := range platforms {
			p.Selected = append(p.Selected, s.String())
		}
		p.Platforms = platforms
		p.Airgap.Bundles = dropBundles(p.Airgap.Bundles, platforms)
	}
	if len(only) < len(p.Images) {
		p.Selected = append(p.Selected, only...)
	}
	var images []Image
	for _, i := range p.Images {
		if !slices.Contains(only, i.Name) {
			continue
		}
		all := i.Platforms
		i.Platforms = among(all, platforms)
		switch {
		case len(i.Platforms) > 0:
			images = append(images, i)
		case len(o.Images) > 0:
			c.Usage("-images %s: the image is for %s: select one of these with -platforms",
				i.Name, formatAll(all))
		}
	}
	if len(images) == 0 && len(p.Images) > 0 && len(c.Errors) == 0 {
		c.Usage("-platforms %s: no image is for these: select others", strings.Join(o.Platforms, ","))
	}
	p.Images = images
	p.Artifacts = restrictArtifacts(p.Artifacts, platforms, every, o.Images)
}

// restrictArtifacts cuts artifacts down to platforms, of every platform of the release. An
// artifact for none of these is made with the first. A selection of images excludes artifacts.
func restrictArtifacts(all []Artifact, platforms, every []platform.Platform, only []string) []Artifact {
	if len(only) > 0 {
		return nil
	}
	chosen, release := platform.Systems(platforms), platform.Systems(every)
	first := slices.Contains(chosen, release[0])
	var left []Artifact
	for _, a := range all {
		a.Platforms = slices.DeleteFunc(slices.Clone(a.Platforms), func(q platform.Platform) bool {
			return !slices.Contains(chosen, q) && (!first || slices.Contains(release, q))
		})
		if len(a.Platforms) > 0 {
			left = append(left, a)
		}
	}
	return left
}

func (c *checker) selectPlatforms(values []string) []platform.Platform {
	return c.choose(values, func(s *string, err error) { c.Usage("-platforms %s: %v", *s, err) })
}

// selectImages returns names of images in the order of slipway.yaml.
func (c *checker) selectImages(values []string) []string {
	if len(values) == 0 {
		return c.images.list
	}
	for _, s := range values {
		if !slices.Contains(c.images.list, s) {
			use := cmp.Or(strings.Join(c.images.list, ", "), "none, since slipway.yaml has no images")
			c.Usage("-images %s: unknown image: use %s", s, use)
		}
	}
	return slices.DeleteFunc(slices.Clone(c.images.list), func(s string) bool { return !slices.Contains(values, s) })
}
