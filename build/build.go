// Package build makes the images of a product, for every platform, in the store.
//
// Sources are fetched and verified first, all of them; a wrong hash ends the build before anything is compiled. Then programs compile
// (build/program) while images wait for theirs and are put together as they come (build/layer, build/manifest, build/index), in one of
// three ways: an image of one Go program with ko's conventions, a Dockerfile (build/dockerfile), or the buildpacks lifecycle
// (build/lifecycle). What they stand on comes from build/base.
package build

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/progress"
	"github.com/slipway-dev/slipway/store"
)

// builder holds what the images of one build share.
type builder struct {
	product  *product.Product
	store    *store.Store
	trees    map[string]source.Tree
	programs *program.Set
	client   *transfer.Client
	bases    *base.Resolver
}

// Build builds every image of p and returns a lock that names them by digest. Repositories and tags are left to publish; every blob
// that the lock names, directly or through an index, is in st. Images that fail are all reported.
func Build(ctx context.Context, p *product.Product, st *store.Store, pr *progress.Printer) (*lock.Lock, error) {
	trees, err := Sources(ctx, p)
	if err != nil {
		return nil, err
	}
	return Images(ctx, p, trees, st, pr)
}

// Images is [Build] from sources that [Sources] has fetched.
func Images(ctx context.Context, p *product.Product, trees map[string]source.Tree, st *store.Store, pr *progress.Printer) (*lock.Lock, error) {
	wanted, err := programs(p, trees)
	if err != nil {
		return nil, err
	}
	set, wait := program.Start(ctx, st, pr, wanted)
	client := transfer.New(transfer.Options{Progress: pr})
	b := &builder{
		product: p, store: st, trees: trees, programs: set, client: client,
		bases: &base.Resolver{Product: p, Store: st, Client: client, Progress: pr},
	}

	images := make([]lock.Image, len(p.Images))
	failures := make([]error, len(p.Images)+1) // the last is that of the artifacts
	var g errgroup.Group
	for i, img := range p.Images {
		g.Go(func() error {
			images[i], failures[i] = b.image(ctx, img)
			return nil
		})
	}
	var files []lock.Artifact
	g.Go(func() error {
		files, failures[len(p.Images)] = b.artifacts(ctx)
		return nil
	})
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	compiled := wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := report(compiled, failures); err != nil {
		return nil, err
	}
	l := newLock(p, trees, images)
	l.Artifacts = files
	l.Go, err = source.Version(ctx)
	return l, err
}

// report joins failures. An image or artifact that misses a program says no more than the compiler's message does, so it is not repeated.
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

// Sources makes all sources of p available and verifies them. Every failure is reported.
func Sources(ctx context.Context, p *product.Product) (map[string]source.Tree, error) {
	trees := make([]source.Tree, len(p.Sources))
	failures := make([]error, len(p.Sources))
	var g errgroup.Group
	for i, s := range p.Sources {
		g.Go(func() error {
			trees[i], failures[i] = source.Fetch(ctx, s, p.MadeIn(s.Directory)...)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	m := map[string]source.Tree{}
	for _, t := range trees {
		m[t.Source.Name] = t
	}
	return m, nil
}

func newLock(p *product.Product, trees map[string]source.Tree, images []lock.Image) *lock.Lock {
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion, Name: p.Name, Version: p.Version,
		Created: Created(p, trees), Partial: p.Partial, Images: images,
	}
	for _, s := range p.Sources {
		t := trees[s.Name].Source
		l.Sources = append(l.Sources, lock.Source{Name: t.Name, Module: t.Module, Sum: t.Sum, Revision: t.Revision})
	}
	return l
}

// Created returns the time of the release: SOURCE_DATE_EPOCH, or the newest commit among the sources.
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

// image builds one image for all its platforms.
func (b *builder) image(ctx context.Context, i product.Image) (lock.Image, error) {
	var out lock.Image
	var err error
	if i.Lifecycle != nil {
		out, err = b.lifecycle(ctx, i)
	} else {
		out, err = b.indexed(ctx, i)
	}
	if err != nil {
		return lock.Image{}, fmt.Errorf("building image %s: %w", i.Name, err)
	}
	return out, nil
}
