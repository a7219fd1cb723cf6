package pin

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// resolve asks the registries for newer tags and for digests. The error has a line for each image
// that cannot be asked for; the others are asked for all the same.
func resolve(ctx context.Context, c *transfer.Client, images []*image, o Options) error {
	failures := make([]error, len(images))
	err := transfer.Each(ctx, c, images, func(ctx context.Context, n int, i *image) error {
		if err := i.resolve(ctx, c, o); err != nil {
			failures[n] = err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	var errs yamlfile.Errors
	for n, err := range failures {
		if err != nil {
			errs.At(images[n].places[0].pos, "%w", err)
		}
	}
	return errs.Err()
}

func (i *image) resolve(ctx context.Context, c *transfer.Client, o Options) error {
	if o.Newer != imagetag.None && i.raisable() {
		if err := i.raise(ctx, c, o); err != nil {
			return err
		}
	}
	if !i.wanted(o) {
		return nil
	}
	repo := i.places[0].tag.Context()
	if i.moved != "" {
		var err error
		if repo, err = name.NewRepository(i.moved); err != nil {
			return err
		}
	}
	tag := repo.Tag(i.tag)
	d, err := c.Lookup(ctx, tag)
	if err != nil {
		return err
	}
	if d == nil {
		return fmt.Errorf("%s is not in its registry: correct the name, or take it out", tag)
	}
	i.digest = d.Digest.String()
	return nil
}
