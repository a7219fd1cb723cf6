package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// References returns the images that Dockerfiles of p name and slipway.yaml does not, for
// [base.Lock]. It asks no registry, and leaves nothing on the disk except Go modules that the
// module cache lacked. unread are the reasons why it may not have found all.
func References(ctx context.Context, p *product.Product) (list []product.BaseImage, unread []error, err error) {
	if !slices.ContainsFunc(p.Images, func(i product.Image) bool { _, ok := i.Content.(*product.DockerfileImage); return ok }) {
		return nil, nil, nil
	}
	dir, err := disk.Scratch("")
	if err != nil {
		return nil, nil, fmt.Errorf("making a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	trees, missing := build.Sources(ctx, p)
	list, wrong := build.New(p, trees, st, nil).References(ctx)
	return list, output.Split(errors.Join(missing, wrong)), ctx.Err()
}
