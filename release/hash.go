package release

import (
	"context"
	"errors"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/disk"
)

// is reports whether a file is there and has a digest.
func is(ctx context.Context, path string, want v1.Hash) bool {
	have, err := disk.Digest(ctx, path, nil)
	return err == nil && have == want
}

// each calls f with the numbers from 0 to n-1, on all cores, and returns all errors in their order.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { errs[i] = f(i); return nil })
	}
	_ = g.Wait() // no function fails
	return errors.Join(errs...)
}
