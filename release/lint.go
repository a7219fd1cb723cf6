package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
)

// lint holds release.yaml against what Linux and Windows nodes can run. Errors end the release, a line for each; the rest is shown.
func (c *cut) lint(ctx context.Context, manifest []byte, l *lock.Lock) error {
	r, err := lint.Check(ctx, []lint.File{{Name: Manifest, Text: manifest}}, lint.Options{Lock: l, Allow: c.product.Lint.Allow, Product: c.product})
	if err != nil {
		return fmt.Errorf("checking %s: %w", Manifest, err)
	}
	var errs []error
	for _, f := range r.Folded(false) {
		if f.Severity == lint.Error {
			errs = append(errs, errors.New(f.String()))
		} else {
			c.options.Progress.Printf("%s: %s", f.Severity, f)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%s breaks rules of its nodes: mend its templates, or allow what is meant under lint.allow in %s:\n%w", Manifest, c.product.Path, errors.Join(errs...))
}
