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
func Render(ctx context.Context, p *product.Product,
	l *lock.Lock, pr *progress.Printer,
) ([]byte, []render.Chart, error) {
	return rendered(ctx, p, l, pr, (&progress.Warnings{Printer: pr}).Add)
}

// rendered is [Render], with a function that gets the findings of another severity than error.
func rendered(ctx context.Context, p *product.Product, l *lock.Lock, pr *progress.Printer,
	warn func(string),
) ([]byte, []render.Chart, error) {
	manifest := func(ctx context.Context, p *product.Product, l *lock.Lock) (*render.Manifest, error) {
		return render.Render(ctx, p, l, render.Options{Progress: pr})
	}
	return judged(ctx, p, l, manifest, render.Charts, warn)
}

// rendering makes a manifest, or charts.
type rendering[T any] = func(context.Context, *product.Product, *lock.Lock) (T, error)

// judged returns the rendered manifest and charts, unless they break a rule.
func judged(
	ctx context.Context, p *product.Product, l *lock.Lock,
	manifest rendering[*render.Manifest], charts rendering[[]render.Chart], warn func(string),
) ([]byte, []render.Chart, error) {
	m := &render.Manifest{}
	var err error
	if !p.Release.Empty() {
		m, err = manifest(ctx, p, l)
	}
	if err == nil {
		for _, line := range m.Omitted {
			warn(line)
		}
	}
	made, wrong := charts(ctx, p, l)
	if err := errors.Join(err, wrong); err != nil {
		return nil, nil, err
	}
	return m.Text, made, errors.Join(unmatched(p, m), judge(ctx, p, l, m, made, warn))
}

// judge checks a manifest, which is empty for a product without templates, the charts, and the
// entries of slipway.yaml. The error has a line for each finding of severity error.
func judge(ctx context.Context, p *product.Product, l *lock.Lock, m *render.Manifest, charts []render.Chart,
	warn func(string),
) error {
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
		errs = append(errs, broken("chart "+charts[n].Name(), c, p, warn))
	}
	for _, f := range r.Findings {
		if f.OfProduct() {
			errs = append(errs, errors.New(f.String()))
		}
	}
	return errors.Join(append(errs, broken(Manifest, r, p, warn))...)
}

// broken returns an error with a line for each finding of severity error in a manifest or chart,
// and passes the others to warn. Findings about slipway.yaml are left to judge.
func broken(name string, r *lint.Report, p *product.Product, warn func(string)) error {
	var errs []error
	for _, f := range r.Folded(false) {
		switch {
		case f.OfProduct():
		case f.Severity == lint.Error:
			errs = append(errs, errors.New(f.String()))
		default:
			warn(fmt.Sprintf("%s: %s", f.Severity, f))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%s breaks rules: correct its templates, or allow intended findings under lint.allow in %s:\n%w",
		name, p.Path, errors.Join(errs...))
}
