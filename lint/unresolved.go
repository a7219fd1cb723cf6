package lint

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/render/workload"
)

// unresolved reports whether the value of a field of a custom resource is incomplete, so that
// only its controller knows the image. Names of the product become references.
func (k *known) unresolved(o workload.Object, value string) bool {
	return o.IsIncomplete(value) && !strings.Contains(value, "://") && !k.images.IsProduct(value)
}

// unresolvedImages reports fields of custom resources that name an image or a chart without giving
// a reference, alone or with their neighbors.
func (k *known) unresolvedImages(m *manifests) (all []problem) {
	for n, o := range m.objects {
		o.Composed(func(c workload.Composed) {
			p := problem{place: place{n, c.Path, c.Pos}, rule: "image-unresolved", which: c.Value}
			switch {
			case c.Why != "":
				p.what = fmt.Sprintf("no list has what %s names: %s", c.Value, c.Why)
			case c.Chart:
				p.what = fmt.Sprintf("%s is not in the release: no list and no bundle has what a controller "+
					"pulls from it", c.Value)
			case c.Reference == "" && !k.images.IsProduct(c.Value):
				p.what = fmt.Sprintf("%s is not a reference with a tag or a digest, and the neighboring fields do "+
					"not complete it", c.Value)
			default:
				return
			}
			all = append(all, p)
		})
	}
	return all
}
