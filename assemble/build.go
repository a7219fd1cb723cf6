// Package assemble makes the images of a product, for every platform, in the store.
//
// Sources are fetched and verified first, all of them; a wrong hash ends the build before
// anything is compiled. Then programs compile (compile/program) while images wait for theirs and
// are put together as they come (image/layer, image/manifest, internal/oci), in one of three
// ways: an image of one Go program with ko's conventions, a Dockerfile (containerfile), or the
// buildpacks lifecycle (assemble/lifecycle). Bases come from image/base. kinds.go is the table of
// these ways.
package assemble

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/compile/prebuilt"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Builder builds the images of a product from sources that are at hand. [Builder.Check] and
// [Builder.Images] share what they learn of bases.
type Builder struct {
	product  *product.Product
	store    *store.Store
	trees    map[string]source.Tree
	created  time.Time // of the release
	progress *progress.Printer
	warnings *progress.Warnings
	programs *program.Set // of Images
	prebuilt map[Prebuilt]prebuilt.File
	client   *network.Client
	bases    *base.Resolver
	found    []finding                // of Check, by image
	compiled []program.Program        // all that are compiled
	noted    noted                    // what images and artifacts contain
	before   *here                    // of Here
	commits  map[string]source.Commit // of directory sources, by name
	modules  map[string]string        // commits of module sources that were proven, by name
	kept     *kept                    // of Check for Images; nil if not wanted
	tools    once.Map[builder.Tool]   // of Dockerfiles, by name
	rebuild  bool                     // builders run whatever they have made before
}

// New returns a builder of p with the sources that [Sources] has fetched. One that could not be
// fetched is missing from trees; then [Builder.Check] passes over what is made from it.
func New(p *product.Product, trees map[string]source.Tree, st *store.Store, pr *progress.Printer) *Builder {
	client := network.New(network.Options{Progress: pr})
	return &Builder{
		product: p, store: st, trees: trees, created: Created(p, trees), progress: pr, client: client,
		warnings: &progress.Warnings{Printer: pr},
		commits:  map[string]source.Commit{}, modules: map[string]string{},
		bases: &base.Resolver{
			Bases: p.Bases, File: p.Path, Referenced: p.Referenced, Snapshot: p.Snapshot(), Store: st,
			Client: client, Progress: pr,
		},
	}
}

// WarnIn adds the builder's warnings to w, which may have others. Without it, the builder prints
// them.
func (b *Builder) WarnIn(w *progress.Warnings) { b.warnings = w }

// Complete tells the builder which third-party images manifests name, after Check: p is its product
// with them.
func (b *Builder) Complete(p *product.Product) { b.product = p }

// Take reads bases and prebuilt images from an existing release before it asks registries; file
// finds there what the release took out of files.
func (b *Builder) Take(shipped oci.Open, file base.ShippedFile) {
	b.bases.Shipped, b.bases.ShippedFile = shipped, file
}

// Times returns how long compilers and linkers took in Images, and how long the layers in the
// store took to compress.
func (b *Builder) Times() *times.Weights {
	all := times.New()
	all.Add(b.programs.Times())
	sums := map[times.Item]float64{}
	for t, s := range b.noted.times {
		sums[t.Item] += s
	}
	for i, s := range sums {
		all.Took(i, s)
	}
	return all
}

// Build builds every image of p. Every blob that the result names, directly or through an index,
// is in st. What is wrong without a doubt is reported before anything is compiled, and images
// that fail are all reported. Each option is called with the builder first, such as
// [Builder.Rebuild].
func Build(ctx context.Context, p *product.Product, st *store.Store, pr *progress.Printer,
	options ...func(*Builder),
) (*built.Result, error) {
	trees, missing := Sources(ctx, p)
	b := New(p, trees, st, pr)
	for _, set := range options {
		set(b)
	}
	b.Keep()
	if _, err := b.Check(ctx); err != nil || missing != nil {
		return nil, errors.Join(missing, err)
	}
	r, err := b.Images(ctx)
	if err != nil {
		return nil, err
	}
	return r, b.Unchanged(ctx)
}

// Sources makes all sources of p available and verifies them. Every failure is reported; the
// sources that did not fail are returned beside the error.
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

// Created returns the time of the release: SOURCE_DATE_EPOCH, or the newest commit among the
// sources, or 1970 for a product without sources, which no commit dates.
func Created(p *product.Product, trees map[string]source.Tree) time.Time {
	t := p.Created
	if p.SourceDateEpoch {
		return t
	}
	for _, tree := range trees {
		if tree.Source.Created.After(t) {
			t = tree.Source.Created
		}
	}
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC().Truncate(time.Second)
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
