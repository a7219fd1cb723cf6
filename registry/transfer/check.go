package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Pin is a reference and the digest that it must have.
type Pin struct {
	Ref    name.Reference
	Digest v1.Hash
}

// Check asks registries whether references can be pulled and have their digests. The error lists
// all that do not.
func (c *Client) Check(ctx context.Context, pins []Pin) error {
	wrong := make([]error, len(pins))
	err := each(ctx, c.o.Jobs, pins, func(ctx context.Context, n int, p Pin) error {
		switch have, err := c.Lookup(ctx, p.Ref); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			wrong[n] = err
		case have == nil:
			wrong[n] = fmt.Errorf("%s is not in the registry", p.Ref)
		case have.Digest != p.Digest:
			wrong[n] = fmt.Errorf("%s is %s in the registry, not %s", p.Ref, have.Digest, p.Digest)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(wrong...)
}
