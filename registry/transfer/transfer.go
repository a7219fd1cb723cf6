// Package transfer moves sets of images between stores, bundles and registries.
//
// [Client.Push] pushes images whose blobs a [Source] gives, in an order that never leaves a name
// for something incomplete: it resolves every tag; then sends each blob once, to one repository;
// mounts it from there into the others; then puts the manifests of single platforms by digest,
// then the indexes, then the referrers; and last the tags. A tag that names another digest stops
// it before anything is sent. [Client.PushAll] does so for several destinations at once, and
// reads each blob once.
//
// A floating tag moves by [Client.Move], where [Client.Decide] allows it: [Client.Current]
// reports what the tag names now, and [Forward] which image is newer.
//
// [Client.Fetch] brings images into a store, [Client.Pull] everything that a lock names, and
// [Client.FetchReferrers] the referrers of images. [Client.Check] and [Client.Platforms] only
// ask. To copy from registry to registry, [Client.Read] and [Client.ReadReferrers] read the
// documents, and [Client.FromRegistry] gives the blobs.
//
// Package network makes the requests below it, and has the rules for credentials, plain HTTP and
// retries.
package transfer

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
)

// Client talks to registries. Several goroutines may use it.
type Client struct {
	*network.Client
	o network.Options
}

// New returns a client for the registries that references name.
func New(o network.Options) *Client {
	o = o.Defaults()
	return &Client{network.New(o), o}
}

// Local returns a client that sends every request to rt, whatever host a reference names.
func Local(o network.Options, rt http.RoundTripper) *Client {
	o = o.Defaults()
	return &Client{network.Local(o, rt), o}
}

// Each calls f for every element and its index, as many at a time as the options allow, until the
// first error, which it returns.
func Each[T any](ctx context.Context, c *Client, list []T, f func(ctx context.Context, n int, e T) error) error {
	return each(ctx, c.o.Jobs, list, f)
}

func each[T any](ctx context.Context, jobs int, list []T, f func(ctx context.Context, n int, e T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for n, e := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			return f(ctx, n, e)
		})
	}
	return g.Wait()
}
