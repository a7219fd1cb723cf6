// Package build makes the images of a product, for every platform, in the store.
//
// Sources are fetched and verified first, all of them; a wrong hash ends the build before
// anything is compiled. Then programs compile (build/program) while images wait for theirs and
// are put together as they come (build/layer, build/manifest, internal/oci), in one of three
// ways: an image of one Go program with ko's conventions, a Dockerfile (build/dockerfile), or the
// buildpacks lifecycle (build/lifecycle). Bases come from build/base. kinds.go is the table of
// these ways.
package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/build/prebuilt"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Builder builds the images of a product from sources that are at hand. [Builder.Check] and
// [Builder.Images] share what they learn of bases.
type Builder struct {
	product  *product.Product
	store    *store.Store
	trees    map[string]source.Tree
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
}

// New returns a builder of p with the sources that [Sources] has fetched. One that could not be
// fetched is missing from trees; then [Builder.Check] passes over what is made from it.
func New(p *product.Product, trees map[string]source.Tree, st *store.Store, pr *progress.Printer) *Builder {
	client := network.New(network.Options{Progress: pr})
	return &Builder{
		product: p, store: st, trees: trees, progress: pr, client: client, warnings: &progress.Warnings{Printer: pr},
		commits: map[string]source.Commit{}, modules: map[string]string{},
		bases: &base.Resolver{Bases: p.Bases, File: p.Path, Referenced: p.Referenced, Snapshot: p.Snapshot(), Store: st, Client: client, Progress: pr},
	}
}

// WarnIn adds the builder's warnings to w, which may have others. Without it, the builder prints
// them.
func (b *Builder) WarnIn(w *progress.Warnings) { b.warnings = w }

// Take reads bases from an existing release before it asks registries.
func (b *Builder) Take(shipped oci.Open) { b.bases.Shipped = shipped }

// Build builds every image of p. Every blob that the result names, directly or through an index,
// is in st. What is wrong without a doubt is reported before anything is compiled, and images
// that fail are all reported.
func Build(ctx context.Context, p *product.Product, st *store.Store, pr *progress.Printer) (*built.Result, error) {
	trees, missing := Sources(ctx, p)
	b := New(p, trees, st, pr)
	if _, err := b.Check(ctx); err != nil || missing != nil {
		return nil, errors.Join(missing, err)
	}
	r, err := b.Images(ctx)
	if err != nil {
		return nil, err
	}
	return r, b.Unchanged(ctx)
}

// Images builds every image, as [Build] does after its checks. Who reads more of the sources, or
// nothing, calls [Builder.Unchanged] then.
func (b *Builder) Images(ctx context.Context) (*built.Result, error) {
	p := b.product
	all, err := b.Programs()
	if err != nil {
		return nil, err
	}
	b.compiled = all
	compilers, err := b.compilers(ctx, all)
	if err != nil {
		return nil, err
	}
	materials, err := b.Here(ctx) // before anything is read
	if err != nil {
		return nil, err
	}
	var beside errgroup.Group
	defer beside.Wait() //nolint:errcheck // for an end before the result
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set, wait := program.Start(ctx, b.store, b.progress, all)
	b.programs = set
	var tools []lock.Material
	beside.Go(func() (err error) {
		tools, err = b.toolchains(ctx)
		return err
	})
	if err := b.readPrebuilt(ctx, b.client); err != nil {
		stop()
		wait() //nolint:errcheck // it was ended
		return nil, err
	}

	images, files, failures := b.each(ctx)
	compiled := wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := errors.Join(report(compiled, failures), beside.Wait()); err != nil {
		return nil, err
	}
	r := &built.Result{
		BuildVersion: stagefile.Build.Version, Name: p.Name, Version: p.Version, Created: Created(p, b.trees),
		Selected: p.Selected, Sources: lockSources(p, b.trees), Images: images, Artifacts: files, Compilers: compilers, Prebuilt: b.Prebuilt(),
		Materials: append(materials, tools...),
	}
	return r, b.complete(ctx, r)
}

// each makes images and artifacts. Failures have that of each image, and at last that of the
// artifacts.
func (b *Builder) each(ctx context.Context) (images []built.Image, files []lock.Artifact, failures []error) {
	all := b.product.Images
	images, failures = make([]built.Image, len(all)), make([]error, len(all)+1)
	var g errgroup.Group
	for i, img := range all {
		g.Go(func() error {
			var err error
			if images[i], err = kinds[img.Kind].build(b, ctx, img); err != nil {
				images[i], failures[i] = built.Image{}, fmt.Errorf("building image %s: %w", img.Name, err)
			}
			return nil
		})
	}
	g.Go(func() error {
		files, failures[len(all)] = b.artifacts(ctx)
		return nil
	})
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	return images, files, failures
}

// tellWorkspaces warns of modules that go build would take from elsewhere.
func (b *Builder) tellWorkspaces(programs []program.Program) {
	for _, p := range programs {
		for _, line := range p.Tree.Workspace() {
			b.warnings.Add("warning: " + line)
		}
	}
}

// Times returns how long compilers and linkers took in Images, and how long the layers in the
// store took to compress.
func (b *Builder) Times() *times.Weights {
	all := times.New()
	all.Add(b.programs.Times())
	for i, layers := range b.noted.times {
		sum := 0.0
		for _, s := range layers {
			sum += s
		}
		all.Took(i, sum)
	}
	return all
}

// complete adds to a result what it was made with, and its contents.
func (b *Builder) complete(ctx context.Context, r *built.Result) (err error) {
	if r.Go, err = GoVersion(ctx, b.compiled); err != nil {
		return err
	}
	if err := b.prove(ctx, r.Materials); err != nil {
		return err
	}
	r.Materials = append(r.Materials, b.documents()...)
	lock.SortMaterials(r.Materials)
	r.Inventory, err = b.inventory(ctx)
	return err
}

// GoVersion returns the versions of the toolchains that compile programs, sorted, with commas
// between them: "go1.26.8". It is "" for no programs.
func GoVersion(ctx context.Context, programs []program.Program) (string, error) {
	asked := map[string]bool{}
	var all []string
	for _, p := range programs {
		if asked[p.Tree.Dir] {
			continue
		}
		asked[p.Tree.Dir] = true
		v, err := p.Tree.GoVersion(ctx)
		if err != nil {
			return "", err
		}
		all = append(all, v)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), lock.GoSeparator), nil
}

// report joins failures. An image or artifact that lacks a program adds nothing to the
// compiler's message, so it is not repeated.
func report(compiled error, others []error) error {
	all := []error{compiled}
	for _, err := range others {
		if missing := (program.ErrFailed{}); errors.As(err, &missing) {
			continue
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// Sources makes all sources of p available and verifies them. Every failure is reported; the
// sources that did not fail are returned beside the error.
func Sources(ctx context.Context, p *product.Product) (map[string]source.Tree, error) {
	trees := make([]source.Tree, len(p.Sources))
	failures := make([]error, len(p.Sources))
	var g errgroup.Group
	for i, s := range p.Sources {
		g.Go(func() error {
			trees[i], failures[i] = source.Fetch(ctx, s)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	m := map[string]source.Tree{}
	for n, t := range trees {
		if failures[n] == nil {
			m[t.Source.Name] = t
		}
	}
	return m, errors.Join(failures...)
}

// lockSources are the sources as the lock has them.
func lockSources(p *product.Product, trees map[string]source.Tree) []lock.Source {
	var all []lock.Source
	for _, s := range p.Sources {
		t := trees[s.Name].Source
		all = append(all, lock.Source{Name: t.Name, Module: t.Module, Sum: t.Sum, Revision: t.Revision, URL: t.URL, Licenses: t.Licenses})
	}
	return all
}

// Created returns the time of the release: SOURCE_DATE_EPOCH, or the newest commit among the
// sources.
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
	return t.UTC().Truncate(time.Second)
}
