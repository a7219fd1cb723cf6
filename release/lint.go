package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// lint checks release.yaml against what Linux and Windows nodes can run. Errors end the release,
// a line for each; the rest is shown.
func (c *cut) lint(ctx context.Context, manifest []byte, l *lock.Lock) error {
	return judge(ctx, c.product, manifest, l, c.options.Progress)
}

func judge(ctx context.Context, p *product.Product, manifest []byte, l *lock.Lock, pr *progress.Printer) error {
	r, err := lint.Check(ctx, []lint.File{{Name: Manifest, Text: manifest}}, lint.Options{Lock: l, Allow: p.Lint.Allow, Product: p})
	if err != nil {
		return fmt.Errorf("checking %s: %w", Manifest, err)
	}
	var errs []error
	for _, f := range r.Folded(false) {
		if f.Severity == lint.Error {
			errs = append(errs, errors.New(f.String()))
		} else {
			pr.Printf("%s: %s", f.Severity, f)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%s breaks rules of its nodes: mend its templates, or allow what is meant under lint.allow in %s:\n%w", Manifest, p.Path, errors.Join(errs...))
}
