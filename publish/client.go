package publish

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/registry"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Options say how registries are talked to. The zero value suits every registry.
type Options = network.Options

// client is a way to registries, and how it is to be used.
type client struct {
	*network.Client
	o Options
}

// newClient returns a client for the registries that references name.
func newClient(o Options) *client { return &client{network.New(o), o} }

// newTarget returns a client for the registry of p: a snapshot has one of its own over st.
func newTarget(o Options, st *store.Store, p *product.Product) *client {
	if !p.Snapshot() {
		return newClient(o)
	}
	return &client{network.Local(o, registry.Transport(registry.New(st, nil))), o}
}

// each does f for every element, at most jobs at a time, until the first error, which it returns.
func each[T any](ctx context.Context, jobs int, list []T, f func(context.Context, T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for _, e := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			return f(ctx, e)
		})
	}
	return g.Wait()
}
