package render

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/renderer"
)

// Chart is a Helm chart of the product with its versions and with images by digest.
type Chart struct {
	*chart.Chart

	// Cases are what it is judged with: its own values first, without a name.
	Cases []chart.Case

	// Unrendered are values that name images of the release, and that no case renders.
	Unrendered []chart.Unrendered
}

// Charts returns the charts of p, in its order. A chart that does not render is an error, and so
// is an image of the product in one that cannot be pinned.
func Charts(ctx context.Context, p *product.Product, l *lock.Lock) ([]Chart, error) {
	var all []Chart
	var errs []error
	images := newImages(p, l)
	for _, declared := range p.Charts {
		c, err := makeChart(ctx, images, declared)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		all, errs = append(all, c), append(errs, err)
		if renderer.Exceeded(err) {
			break // the next may, too
		}
	}
	return all, errors.Join(append(errs, images.errs.Err())...)
}

func makeChart(ctx context.Context, images *images, declared product.Chart) (Chart, error) {
	at, err := chartLocation(ctx, images.product, declared.Template)
	if err != nil {
		return Chart{}, err
	}
	loaded, err := chart.Load(at)
	if err != nil {
		return Chart{}, err
	}
	if loaded.Name() != declared.Name {
		return Chart{}, fmt.Errorf("%s: the chart in %s is called %s, not %s: correct the name",
			declared.NamePos, loaded, output.Line(loaded.Name()), declared.Name)
	}
	cases, err := chartCases(at, declared)
	if err != nil {
		return Chart{}, err
	}
	if loaded, err = loaded.SetVersion(declared.Version, declared.AppVersion); err != nil {
		return Chart{}, err
	}
	made := Chart{Cases: cases}
	o := chart.PinOptions{Cases: cases, Find: finder(images), Unrendered: func(u chart.Unrendered) {
		made.Unrendered = append(made.Unrendered, u)
	}}
	if o.Mappings, err = mappings(images.lock, declared); err != nil {
		return Chart{}, err
	}
	if made.Chart, err = loaded.Pin(ctx, o); err != nil || !declared.ImageAnnotations {
		return made, err
	}
	err = made.list(ctx, o.Find)
	return made, err
}

// mappings are the images that slipway.yaml names for values of a chart.
func mappings(l *lock.Lock, declared product.Chart) ([]chart.Mapping, error) {
	var all []chart.Mapping
	for _, m := range declared.Images {
		i, ok := l.Image(m.Image)
		if !ok {
			return nil, fmt.Errorf("%s: the lock has no image %s", m.Pos, m.Image)
		}
		own := chart.Image{Repository: i.Repository, Digest: i.Digest.String()}
		if len(i.Tags) > 0 {
			own.Tag = i.Tags[0]
		}
		all = append(all, chart.Mapping{Path: m.Path, Image: own, Pos: m.Pos})
	}
	return all, nil
}

// chartLocation returns where a chart of slipway.yaml is.
func chartLocation(ctx context.Context, p *product.Product, t product.Template) (chart.Location, error) {
	if t.Source == "" {
		return chart.Location{Tree: p.Dir, Path: t.Path, Shown: t.Path}, nil
	}
	s := p.Source(t.Source)
	tree, err := source.Fetch(ctx, s)
	return chart.Location{Tree: tree.Dir, Path: t.Path, Shown: t.Source + ":" + t.Path}, err
}

// chartCases returns what a chart is rendered with.
func chartCases(at chart.Location, declared product.Chart) ([]chart.Case, error) {
	o := chart.Options{Release: declared.ReleaseName, Namespace: declared.Namespace, Values: declared.Values}
	all := []chart.Case{{Options: o}}
	for _, k := range declared.Cases {
		values := k.Values
		if k.ValuesFile != "" {
			shown := path.Join(strings.TrimSuffix(at.Shown, declared.Path), k.ValuesFile)
			inFile, err := chart.ReadValues(at.Tree, k.ValuesFile, shown)
			if err != nil {
				return nil, fmt.Errorf("%s: case %s: %w", k.Pos, k.Name, err)
			}
			values = chart.MergeValues(inFile, k.Values)
		}
		o.Values = chart.MergeValues(declared.Values, values)
		all = append(all, chart.Case{Name: k.Name, Options: o})
	}
	return all, nil
}
