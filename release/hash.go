package release

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// digest returns the digest of a file. It reads the file every time, because size and
// modification time do not show whether the disk has kept its bytes.
func digest(ctx context.Context, path string) (v1.Hash, error) {
	f, err := regular.Open(path)
	if err != nil {
		return v1.Hash{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, progress.Reader(ctx, f, nil)); err != nil {
		return v1.Hash{}, err
	}
	return oci.Sum(h), nil
}

// is reports whether a file is there and has a digest.
func is(ctx context.Context, path string, want v1.Hash) bool {
	have, err := digest(ctx, path)
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
