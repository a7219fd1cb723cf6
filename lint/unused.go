package lint

import (
	"fmt"
	"maps"
	"strings"

	"github.com/slipway-dev/slipway/product"
)

// undecided is the rule about facts that a person has to decide.
const undecided = "product-undecided"

// OfProduct reports whether a finding is about slipway.yaml itself, not a manifest.
func (f Finding) OfProduct() bool { return f.Rule == undecided }

// unused finds what slipway.yaml has and nothing uses. Without manifests, the use of a product's
// images is unknown.
func (k *known) unused(p *product.Product) (all []problem) {
	for _, u := range p.Unused {
		all = append(all, inProduct("product-unused", fmt.Sprintf("nothing uses the %s %s", u.Kind, u.Name), u))
	}
	for _, u := range p.Undecided {
		all = append(all, problem{place: place{-1, u.Key, u.Pos}, rule: undecided, what: question(u)})
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

// question is a fact that nobody has decided, with what it may be.
func question(u product.Undecided) string {
	var all []string
	for _, c := range u.Candidates {
		one := fmt.Sprintf("%q", c.Value)
		if len(c.Seen) > 0 {
			one += " (" + strings.Join(c.Seen, ", ") + ")"
		}
		all = append(all, one)
	}
	what := strings.TrimSuffix(u.What, ".")
	if len(all) == 0 {
		return what
	}
	return what + ": " + strings.Join(all, ", or ")
}

// inProduct is an entry of slipway.yaml that breaks a rule.
func inProduct(id, what string, e product.Entry) problem {
	return problem{place: place{-1, fmt.Sprintf("%ss[%s]", e.Kind, e.Name), e.Pos}, rule: id, what: what}
}
