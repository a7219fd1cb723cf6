package render

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/renderer"
)

// helm renders the charts of slipway.yaml that release.yaml includes. Objects of helm test are
// omitted, and so are those that Helm makes only when it removes or rolls back a release: applied,
// they would run at once. Other hooks become objects as any. Both is printed.
func helm(ctx context.Context, p *product.Product, l *lock.Lock, o Options) ([]document, error) {
	var docs []document
	var errs []error
	for _, h := range p.Release.Helm {
		made, err := inflate(ctx, p, l, h)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", h.Pos, err))
		}
		if renderer.Exceeded(err) {
			break // the next may, too
		}
		for _, object := range made {
			if slices.ContainsFunc(object.Hooks, isTest) {
				continue
			}
			found, err := read(object.Template, object.Text, func(line int) yamlfile.Pos {
				return position(object.Origin(line))
			})
			if err != nil {
				errs = append(errs, err)
			}
			for _, d := range found {
				what := "an object as any other in release.yaml"
				if isLast(object) {
					what = "is omitted from release.yaml: kubectl apply would run it at once"
				}
				if len(object.Hooks) > 0 {
					o.Progress.Printf("%s: %s is a hook (%s) for Helm, and %s", d.position(d.yaml.Position),
						d, strings.Join(object.Hooks, ", "), what)
				}
			}
			if !isLast(object) {
				docs = append(docs, found...)
			}
		}
	}
	return docs, errors.Join(errs...)
}

// isTest reports whether a hook is run by helm test only.
func isTest(hook string) bool { return hook == "test" || strings.HasPrefix(hook, "test-") }

// isLast reports whether an object is one of hooks that end or undo a release only.
func isLast(o chart.Object) bool {
	return len(o.Hooks) > 0 && !slices.ContainsFunc(o.Hooks, func(hook string) bool {
		return !isTest(hook) &&
			!slices.Contains([]string{"pre-delete", "post-delete", "pre-rollback", "post-rollback"}, hook)
	})
}

func inflate(ctx context.Context, p *product.Product, l *lock.Lock, h product.Helm) ([]chart.Object, error) {
	var declared product.Chart
	at := h.Template
	if h.Chart != "" {
		declared = p.Chart(h.Chart)
		at = declared.Template
	}
	in, err := find(ctx, p, at)
	if err != nil {
		return nil, err
	}
	location := chart.Location{Tree: in.tree, Path: in.path, Shown: in.name(in.path)}
	c, err := chart.Load(location)
	if err != nil {
		return nil, err
	}
	if h.Chart != "" {
		if c, err = mapped(ctx, c, location, l, declared); err != nil {
			return nil, err
		}
	}
	values, err := expandAll(h.Values, h.ValuePos, "values", p, l)
	if err != nil {
		return nil, err
	}
	return c.Render(ctx, chart.Options{Release: h.Name, Namespace: h.Namespace, Values: values})
}

// mapped returns a chart of slipway.yaml at its version, with the images that are named for its
// values. References that identify their image become that later, as in any manifest.
func mapped(ctx context.Context, c *chart.Chart, at chart.Location, l *lock.Lock,
	declared product.Chart,
) (*chart.Chart, error) {
	c, err := c.SetVersion(declared.Version, declared.AppVersion)
	if err != nil || len(declared.Images) == 0 {
		return c, err
	}
	o := chart.PinOptions{Find: func(string) *chart.Image { return nil }}
	if o.Cases, err = chartCases(at, declared); err != nil {
		return nil, err
	}
	if o.Mappings, err = mappings(l, declared); err != nil {
		return nil, err
	}
	return c.Pin(ctx, o)
}

// position reads a place as charts write it: FILE:LINE, or FILE.
func position(at string) yamlfile.Pos {
	if n := strings.LastIndex(at, ":"); n >= 0 {
		if line, err := strconv.Atoi(at[n+1:]); err == nil {
			return yamlfile.Pos{File: at[:n], Line: line}
		}
	}
	return yamlfile.Pos{File: at}
}
