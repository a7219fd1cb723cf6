package lint

import (
	"fmt"
	"maps"

	"github.com/slipway-dev/slipway/product"
)

// incomplete is the rule about what an image lacks, as it states.
const incomplete = "image-incomplete"

// OfImage reports whether a finding is about an image of slipway.yaml itself, not a manifest.
func (f Finding) OfImage() bool { return f.Rule == incomplete }

// unused finds what slipway.yaml has and nothing uses. Without manifests, the use of a product's
// images is unknown.
func (c *checker) unused() {
	p := c.options.Product
	if p == nil {
		return
	}
	for _, u := range p.Unused {
		c.inProduct("product-unused", fmt.Sprintf("nothing uses the %s %s", u.Kind, u.Name), u)
	}
	for _, i := range p.Images {
		for n, m := range i.Missing {
			f := c.newFinding(rule(incomplete), fmt.Sprintf("image %s is incomplete: %s", i.Name, m.What), m.Pos)
			f.Path = fmt.Sprintf("images[%s].missing[%d]", i.Name, n)
			c.add(f, -1, "")
		}
	}
	if p.Release.Empty() && len(c.options.Charts) == 0 || c.options.Lock == nil {
		return
	}
	for _, r := range c.options.Charts {
		maps.Copy(c.named, r.named)
	}
	for _, i := range p.Images {
		if _, ok := c.options.Lock.Image(i.Name); ok && i.Name != p.Airgap.FirstImage && !c.named[i.Name] {
			c.inProduct("image-unused", fmt.Sprintf("no manifest names the image %s", i.Name), product.Entry{Kind: "image", Name: i.Name, Pos: i.Pos})
		}
	}
}

// inProduct records that an entry of slipway.yaml breaks a rule.
func (c *checker) inProduct(id, what string, e product.Entry) {
	f := c.newFinding(rule(id), what, e.Pos)
	f.Path = fmt.Sprintf("%ss[%s]", e.Kind, e.Name)
	c.add(f, -1, "")
}
