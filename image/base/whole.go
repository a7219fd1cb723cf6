package base

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// ErrElsewhere is about an image that only a registry has, which may not be asked.
var ErrElsewhere = errors.New("it is not in the store")

// Prebuilt returns an image of a registry that a release takes as it is, for platform p. It asks
// the store before the registry, in a snapshot, too: a stub of an image would be another one. A
// resolver that is offline asks the store alone, and fails with [ErrElsewhere]. Layers that are not
// in the store are fetched by [Resolver.Complete].
func (r *Resolver) Prebuilt(ctx context.Context, ref name.Reference, p platform.Platform) (Base, error) {
	return r.found.Do(ref.String()+" "+p.String()+" prebuilt", func() (Base, error) {
		i := product.BaseImage{Platform: p, Reference: ref, Inline: true}
		repo := ref.Context()
		b, err := r.take(ctx, i, false, reader{r.remember(repo, r.here), r.remember(repo, r.here)})
		if errors.Is(err, ErrElsewhere) && r.Shipped == nil && !r.Offline {
			b, err = r.take(ctx, i, false, r.reader(ctx, repo))
		}
		if err == nil && !p.Takes(b.Platform) {
			err = fmt.Errorf("%s: %w", ref, another(b.Platform, p))
		}
		return b, err
	})
}

// here reads a document that the store has.
func (r *Resolver) here(d v1.Descriptor) ([]byte, error) {
	raw, err := r.Store.Get(d)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrElsewhere
	}
	return raw, err
}

// Complete fetches the layers of an image that the store lacks.
func (r *Resolver) Complete(ctx context.Context, b Base) error {
	l, ok := b.Image.(*lazy)
	if !ok {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(4)
	for _, one := range l.layers {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return one.bring()
		})
	}
	return g.Wait()
}
