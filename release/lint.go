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

// Render renders release.yaml and the charts and checks them by the rules of package lint. A
// finding of severity error ends the release; other findings are printed. The text is nil for a
// product without templates, whose images are not for a cluster.
func Render(ctx context.Context, p *product.Product, l *lock.Lock, pr *progress.Printer) ([]byte, []render.Chart, error) {
	return rendered(ctx, p, l, pr, (&progress.Warnings{Printer: pr}).Add)
}

// rendered is [Render], with a function that gets the findings of another severity than error.
func rendered(ctx context.Context, p *product.Product, l *lock.Lock, pr *progress.Printer, warn func(string)) ([]byte, []render.Chart, error) {
	m := &render.Manifest{}
	var err error
	if !p.Release.Empty() {
		m, err = render.Render(ctx, p, l, render.Options{Progress: pr})
	}
	charts, wrong := render.Charts(ctx, p, l)
	return judged(ctx, p, l, m, charts, errors.Join(err, wrong), warn)
}

// try is [rendered] before there are digests. What memory has is not rendered again.
func try(ctx context.Context, p *product.Product, l *lock.Lock, memory *render.Memory, warn func(string)) error {
	m := &render.Manifest{}
	var err error
	if !p.Release.Empty() {
		m, err = memory.Render(ctx, p, l)
	}
	charts, wrong := memory.Charts(ctx, p, l)
	_, _, err = judged(ctx, p, l, m, charts, errors.Join(err, wrong), warn)
	return err
}

// judged returns what was rendered, unless err is set or it breaks a rule.
func judged(ctx context.Context, p *product.Product, l *lock.Lock, m *render.Manifest, charts []render.Chart, err error, warn func(string)) ([]byte, []render.Chart, error) {
	if err != nil {
		return nil, nil, err
	}
	return m.Text, charts, errors.Join(unmatched(p, m), judge(ctx, p, l, m, charts, warn))
}

// judge checks a manifest, which is empty for a product without templates, the charts, and the
// entries of slipway.yaml. The error has a line for each finding of severity error.
func judge(ctx context.Context, p *product.Product, l *lock.Lock, m *render.Manifest, charts []render.Chart, warn func(string)) error {
	o := lint.Options{Lock: l, Allow: p.Lint.Allow, Product: p, Values: m.Values}
	for _, c := range charts {
		o.Unrendered = c.Unrendered
		r, err := lint.CheckChart(ctx, c.Chart, c.Cases, o)
		if err != nil {
			return err
		}
		o.Charts = append(o.Charts, r)
	}
	o.Unrendered = nil
	files := []lint.File{{Name: Manifest, Text: m.Text, Origin: m.Origin}}
	r, err := lint.Check(ctx, files, o)
	if err != nil {
		return fmt.Errorf("checking %s: %w", Manifest, err)
	}
	var errs []error
	for n, c := range o.Charts {
		if wrong := told(c, warn); len(wrong) > 0 {
			errs = append(errs, fmt.Errorf("chart %s breaks rules: correct its templates, or allow what is intended under lint.allow in %s:\n%w", charts[n].Name(), p.Path, errors.Join(wrong...)))
		}
	}
	for _, f := range r.Findings {
		if f.OfImage() {
			errs = append(errs, errors.New(f.String()))
		}
	}
	if wrong := told(r, warn); len(wrong) > 0 {
		errs = append(errs, fmt.Errorf("%s breaks rules: correct its templates, or allow what is intended under lint.allow in %s:\n%w", Manifest, p.Path, errors.Join(wrong...)))
	}
	return errors.Join(errs...)
}

// told returns an error for each finding of severity error, and passes the others to warn.
func told(r *lint.Report, warn func(string)) []error {
	var errs []error
	for _, f := range r.Folded(false) {
		if f.OfImage() {
			continue // judge reports it alone
		}
		if f.Severity == lint.Error {
			errs = append(errs, errors.New(f.String()))
		} else {
			warn(fmt.Sprintf("%s: %s", f.Severity, f))
		}
	}
	return errs
}
