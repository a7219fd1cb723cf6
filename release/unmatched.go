package release

import (
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// unmatched reports unused entries of release.images. Charts that the release publishes may
// use an entry that release.yaml does not.
func unmatched(p *product.Product, m *render.Manifest) error {
	if len(p.Charts) > 0 {
		return nil
	}
	var errs []error
	for _, e := range m.Unmatched {
		errs = append(errs,
			fmt.Errorf("%s: no manifest names %s: correct the reference, or take the entry out", e.Pos, e.Reference))
	}
	return errors.Join(errs...)
}
