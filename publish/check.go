package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
)

// Pin is a reference and what it has to stand for.
type Pin struct {
	Ref    name.Reference
	Digest v1.Hash
}

// Check asks registries whether references can be pulled and stand for their digests. It reports
// all that do not.
func Check(ctx context.Context, pins []Pin, o Options) error {
	o = o.Defaults()
	c := newClient(o)
	wrong := make([]error, len(pins))
	numbers := make([]int, len(pins))
	for n := range numbers {
		numbers[n] = n
	}
	err := each(ctx, o.Jobs, numbers, func(ctx context.Context, n int) error {
		switch have, err := c.Head(ctx, pins[n].Ref); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case network.Missing(err):
			wrong[n] = fmt.Errorf("%s is not in the registry", pins[n].Ref)
		case err != nil:
			wrong[n] = fmt.Errorf("looking at %s: %w", pins[n].Ref, network.Clean(err))
		case have.Digest != pins[n].Digest:
			wrong[n] = fmt.Errorf("%s stands for %s in the registry, not for %s", pins[n].Ref, have.Digest, pins[n].Digest)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(wrong...)
}
