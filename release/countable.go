package release

import (
	"fmt"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/product"
)

// countable refuses a product with more images and manifests than verifiers of its provenance
// read, before anything is compiled. What cannot be counted here is counted in the statement.
func countable(p *product.Product) error {
	n := 1 + len(p.Artifacts) + len(p.Charts) // with release.yaml
	for _, i := range p.Images {
		n += len(i.Platforms)
		if len(i.Platforms) > 1 {
			n++ // the index
		}
	}
	if n <= provenance.MaxSubjects {
		return nil
	}
	return fmt.Errorf("%s: %d images with their platforms, artifacts and charts are %d subjects of the provenance, "+
		"and verifiers read at most %d: divide the product into several, or release it for fewer platforms",
		p.Path, len(p.Images), n, provenance.MaxSubjects)
}
