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
func (k *known) unused(p *product.Product) (all []problem) {
	for _, u := range p.Unused {
		all = append(all, inProduct("product-unused", fmt.Sprintf("nothing uses the %s %s", u.Kind, u.Name), u))
	}
	for _, i := range p.Images {
		for n, m := range i.Missing {
			at := place{-1, fmt.Sprintf("images[%s].missing[%d]", i.Name, n), m.Pos}
			what := fmt.Sprintf("image %s is incomplete: %s", i.Name, m.What)
			all = append(all, problem{place: at, rule: incomplete, what: what})
		}
	}
	if p.Release.Empty() && len(k.Charts) == 0 || k.Lock == nil {
		return all
	}
	for _, r := range k.Charts {
		maps.Copy(k.named, r.named)
	}
	for _, i := range p.Images {
		if _, ok := k.Lock.Image(i.Name); ok && i.Name != p.Airgap.FirstImage && !k.named[i.Name] {
			e := product.Entry{Kind: "image", Name: i.Name, Pos: i.Pos}
			all = append(all, inProduct("image-unused", "no manifest names the image "+i.Name, e))
		}
	}
	return all
}

// inProduct is an entry of slipway.yaml that breaks a rule.
func inProduct(id, what string, e product.Entry) problem {
	return problem{place: place{-1, fmt.Sprintf("%ss[%s]", e.Kind, e.Name), e.Pos}, rule: id, what: what}
}
