// Package assemble makes the images of a product, for every platform, in the store.
//
// Each stage returns the value that the next one needs: [Fetch] the sources, [Input.Prepare] the
// checked product, [Ready.Images] the images. A wrong hash or a mistake ends a release before
// anything is compiled. Then programs compile (compile/program), and images are put together as
// their programs become available (image/layer, image/manifest, internal/oci), in one of three
// ways: an image of one Go program with ko's conventions, a Dockerfile (containerfile), or the
// buildpacks lifecycle (assemble/lifecycle). Bases are from image/base. kinds.go is the table of
// these ways.
package assemble

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Options are those of all stages.
type Options struct {
	Store    *store.Store
	Progress *progress.Printer // nil is quiet
	// Rebuild runs the builders of Dockerfiles although nothing has changed, and without their
	// caches.
	Rebuild bool
}

// Input is a product with its sources, from which all stages begin.
type Input struct {
	Options

	Product *product.Product
	Trees   map[string]source.Tree // by name, without those that could not be fetched
	Missing error                  // why these could not be fetched, for [Input.Check] to report
}

// Fetch fetches the sources of p.
func Fetch(ctx context.Context, p *product.Product, o Options) Input {
	trees, missing := Sources(ctx, p)
	return Input{o, p, trees, missing}
}

// Build builds every image of p. Every blob that the result names, directly or through an index,
// is in the store. Mistakes that are certain are reported before anything is compiled, and images
// that fail are all reported.
func Build(ctx context.Context, p *product.Product, o Options) (*built.Result, error) {
	w := &progress.Warnings{Printer: o.Progress}
	ready, err := Fetch(ctx, p, o).Prepare(ctx)
	for _, line := range ready.Warnings {
		w.Add(line)
	}
	if err != nil {
		return nil, err
	}
	b, err := ready.Images(ctx, w)
	if err != nil {
		return nil, err
	}
	return b.Result, ready.Baseline.Unchanged(ctx)
}

// Sources makes all sources of p available and verifies them. Every failure is reported; the
// sources that did not fail are returned with the error.
func Sources(ctx context.Context, p *product.Product) (map[string]source.Tree, error) {
	trees := make([]source.Tree, len(p.Sources))
	failures := inParallel(p.Sources, func(n int, s product.Source) (err error) {
		trees[n], err = source.Fetch(ctx, s)
		return err
	})
	m := map[string]source.Tree{}
	for n, t := range trees {
		if failures[n] == nil {
			m[t.Source.Name] = t
		}
	}
	return m, errors.Join(failures...)
}

// created returns the time of the release: SOURCE_DATE_EPOCH, or the newest commit among the
// sources, or 1970 for a product without sources, which no commit dates.
func (in Input) created() time.Time {
	t := in.Product.Created
	if in.Product.SourceDateEpoch {
		return t
	}
	for _, tree := range in.Trees {
		if tree.Source.Created.After(t) {
			t = tree.Source.Created
		}
	}
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC().Truncate(time.Second)
}

// createdAt is the time of an image: that of its source, or SOURCE_DATE_EPOCH.
func (in Input) createdAt(i product.Image) time.Time {
	if in.Product.SourceDateEpoch {
		return in.Product.Created
	}
	if t := in.Trees[i.Source].Source.Created; !t.IsZero() {
		return t.UTC().Truncate(time.Second)
	}
	return in.created()
}

// inParallel calls do for all elements of a list at the same time, and returns its error for
// each.
func inParallel[E any](list []E, do func(n int, e E) error) []error {
	failures := make([]error, len(list))
	var g sync.WaitGroup
	for n, e := range list {
		g.Go(func() { failures[n] = do(n, e) })
	}
	g.Wait()
	return failures
}
