package release

import (
	"context"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/store"
)

// Rebuilt is a release that was rebuilt and is in no registry.
type Rebuilt struct {
	Lock      *lock.Lock
	Manifest  []byte // release.yaml; nil for a product without templates
	Statement *provenance.Statement
	Store     *store.Store // has everything that the lock names
}

// Rebuild makes a release of p as far as its digests go: nothing is pushed, and no files are
// written to the output directory. Bases and third-party images are read from shipped, and from
// registries if shipped lacks them.
func Rebuild(ctx context.Context, p *product.Product, o Options, shipped publish.Shipped) (*Rebuilt, error) {
	c, end, err := begin(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer end()
	in := c.input(ctx)
	var ready *assemble.Ready
	r, err := rehearse(ctx, in, &render.Memory{}, &c.warnings, func() (_ *assemble.Found, err error) {
		ready, err = in.PrepareAgain(ctx, shipped.Open, shipped.File)
		return ready.Found, err
	}, func(*product.Product) {})
	if err != nil {
		return nil, err
	}
	built, err := ready.Images(ctx, &c.warnings)
	if err != nil {
		return nil, err
	}
	prepared, err := publish.PrepareAgain(ctx, r.product, c.store, built.Result, shipped, c.network())
	if err != nil {
		return nil, err
	}
	text, charts, err := rendered(ctx, r.product, prepared.Lock, o.Progress, c.warnings.Add)
	if err != nil {
		return nil, err
	}
	if err := AddCharts(prepared, charts); err != nil {
		return nil, err
	}
	s, err := c.statement(prepared.Lock, built.Materials, text)
	if err != nil {
		return nil, err
	}
	return &Rebuilt{Lock: prepared.Lock, Manifest: text, Statement: s, Store: c.store}, nil
}
