package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// Render renders release.yaml and checks it by the rules of package lint. A finding of severity
// error ends the release; other findings are printed.
func Render(ctx context.Context, p *product.Product, l *lock.Lock, pr *progress.Printer) ([]byte, error) {
	m, err := render.Render(ctx, p, l, render.Options{Progress: pr})
	if err != nil {
		return nil, err
	}
	return m.Text, judge(ctx, p, l, m, pr)
}

// judge checks a manifest, which is empty for a product without templates, and the entries of
// slipway.yaml. The error has a line for each finding of severity error.
func judge(ctx context.Context, p *product.Product, l *lock.Lock, m *render.Manifest, pr *progress.Printer) error {
	files := []lint.File{{Name: Manifest, Text: m.Text, Origin: m.Origin}}
	r, err := lint.Check(ctx, files, lint.Options{Lock: l, Allow: p.Lint.Allow, Product: p, Values: m.Values})
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
	if len(errs) > 0 {
		return fmt.Errorf("%s breaks rules: correct its templates, or allow what is intended under lint.allow in %s:\n%w", Manifest, p.Path, errors.Join(errs...))
	}
	return nil
}
