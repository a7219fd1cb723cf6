package release

import (
	"context"
	"slices"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/references"
	"github.com/slipway-dev/slipway/render"
)

// Complete returns p with the third-party images that its manifests name, besides those of
// images.txt. The manifests are rendered with made-up digests. For a release to a registry, images
// that nothing pins are an error.
func Complete(ctx context.Context, p *product.Product) (*product.Product, error) {
	trees, err := assemble.Sources(ctx, p)
	if err != nil {
		return nil, err
	}
	complete, _, err := findImages(ctx, p, trees, nil)
	return complete, err
}

// Named returns the third-party images that the manifests of p name.
func Named(ctx context.Context, p *product.Product) ([]references.Image, error) {
	trees, err := assemble.Sources(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := named(ctx, p, trees, nil)
	return found.Images, err
}

// rehearseManifests renders the manifests of p with made-up digests, and checks them by the rules
// of lint, unless platforms or images were selected. complete is p with the third-party images
// that they name, nil if these are unknown; demands lists what only a release to a registry
// requires. w gets the warnings of lint.
func rehearseManifests(ctx context.Context, p *product.Product, trees map[string]source.Tree, memory *render.Memory,
	w *progress.Warnings,
) (complete *product.Product, demands []string, err error) {
	if err := countable(p); err != nil {
		return nil, nil, err
	}
	complete, demands, err = findImages(ctx, p, trees, memory)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range groupWarnings(complete) {
		w.Add(line)
	}
	if len(p.Selected) > 0 || !hasSources(p, trees) {
		return complete, demands, nil
	}
	l := placeholder(complete, trees)
	warn := func(line string) { w.Add(hidden(l).Replace(line)) }
	_, _, err = judged(ctx, complete, l, memory.Render, memory.Charts, warn)
	return complete, demands, hide(err, l)
}

// findImages is [Complete] with sources that have been fetched. For a snapshot, images that nothing
// pins are demands.
func findImages(ctx context.Context, p *product.Product, trees map[string]source.Tree,
	memory *render.Memory,
) (complete *product.Product, demands []string, err error) {
	if !hasSources(p, trees) {
		return p, nil, nil
	}
	found, err := named(ctx, p, trees, memory)
	if err != nil {
		return nil, nil, err
	}
	complete, unpinned, wrong := references.Add(p, found)
	if !p.Snapshot() {
		wrong = append(wrong, unpinned...)
	}
	for _, d := range unpinned {
		demands = append(demands, d.Error())
	}
	return complete, demands, wrong.Err()
}

// named renders the manifests and charts of p, of all platforms and images, and returns the
// third-party images that they name.
func named(ctx context.Context, p *product.Product, trees map[string]source.Tree,
	memory *render.Memory,
) (references.Found, error) {
	if p.Unselected != nil {
		p, memory = p.Unselected, nil // another product
	}
	l := ownOnly(p, trees)
	all, err := manifests(ctx, p, l, memory)
	if err != nil {
		return references.Found{}, hide(err, l)
	}
	return references.Find(p, all)
}

// manifests renders release.yaml, and the charts with each of their cases.
func manifests(ctx context.Context, p *product.Product,
	l *lock.Lock, memory *render.Memory,
) (all []references.Manifest, err error) {
	if !p.Release.Empty() {
		m, err := memory.Render(ctx, p, l)
		if err != nil {
			return nil, err
		}
		all = append(all, references.Manifest{File: Manifest, Text: m.Text, Origin: m.Origin})
	}
	charts, err := memory.Charts(ctx, p, l)
	if err != nil {
		return nil, err
	}
	for _, c := range charts {
		annotated := annotatedIn(c)
		for _, k := range c.Cases {
			objects, err := c.Render(ctx, k.Options)
			if err != nil {
				return nil, err
			}
			f := lint.ChartFile(c.String(), objects)
			all = append(all, references.Manifest{
				File: f.Name, Text: f.Text, Origin: f.Origin, Chart: c.Name(), Case: k.Name, Annotated: annotated,
			})
			annotated = nil // they are the same in all cases
		}
	}
	return all, nil
}

// annotatedIn returns the images that annotations of a chart list.
func annotatedIn(c render.Chart) (all []references.Annotated) {
	for _, l := range c.Listed() {
		for _, image := range l.Images {
			all = append(all, references.Annotated{Annotation: l.Annotation, Reference: image, Pos: l.Pos})
		}
	}
	return all
}

// hasSources reports whether the sources of the templates and charts were fetched. The caller has
// reported a missing one.
func hasSources(p *product.Product, trees map[string]source.Tree) bool {
	inputs := slices.Clone(p.Release.Inputs())
	for _, c := range p.Charts {
		inputs = append(inputs, c.Template)
	}
	for _, t := range inputs {
		if _, ok := trees[t.Source]; t.Source != "" && !ok {
			return false
		}
	}
	return true
}
