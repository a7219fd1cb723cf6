package airgap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// PackDelta writes a delta for each target that one of the bases serves: a bundle serves that of
// its own platform, a lock all of them. Otherwise it does as [Pack]. The store must still have
// the release of a lock. Two bases for one target are an error, before anything is written: both
// deltas would have the same name.
func PackDelta(ctx context.Context, st *store.Store, l *lock.Lock, targets []Target, paths []string,
	o PackOptions,
) ([]bundle.File, error) {
	bases, err := readBases(ctx, paths, l.Name)
	if err != nil {
		return nil, err
	}
	targets = slices.DeleteFunc(slices.Clone(targets), func(t Target) bool { return t.ListOnly })
	plans, err := newPlans(reader{st: st}, l, targets, o.First, o.Partial)
	if err != nil {
		return nil, err
	}
	steps, err := matchBases(st, plans, bases, targets, o.First)
	if err != nil {
		return nil, err
	}
	p, err := newPacker(st, o)
	if err != nil {
		return nil, err
	}
	var files []bundle.File
	for _, s := range steps {
		p.task = o.Progress.Start("packing "+s.plan.target.Name+" since "+s.base.Version, progress.Bytes, 0)
		f, err := p.delta(ctx, s)
		if err != nil {
			p.task.Fail()
			return nil, err
		}
		p.task.Done("%s", progress.Size(f.Size))
		files = append(files, f)
	}
	return files, nil
}

// step is one delta that is to be written.
type step struct {
	plan *plan
	base *base
	has  map[v1.Hash]bool // layers of the base
}

// matchBases finds the plans that each base serves.
func matchBases(st *store.Store, plans []*plan, bases []*base, targets []Target, first string) ([]step, error) {
	var steps []step
	by := map[*plan]*base{}
	for _, b := range bases {
		served := false
		for _, pl := range plans {
			has, ok, err := b.layers(st, pl.target, targets, first)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if other := by[pl]; other != nil {
				return nil, fmt.Errorf("%s and %s are both a base for %s.tar.zst%s: name one of them, put its "+
					"delta elsewhere, and pack again with the other", other.path, b.path, pl.target.Name,
					bundle.DeltaSuffix)
			}
			served, by[pl] = true, b
			steps = append(steps, step{pl, b, has})
		}
		if !served {
			return nil, fmt.Errorf("%s is for %s, and this release has no such bundle: "+
				"name an older bundle of one that it has, or the older release.lock.json", b.File, b.serves())
		}
	}
	return steps, nil
}

// delta writes what the plan has and the base lacks.
func (p *packer) delta(ctx context.Context, s step) (bundle.File, error) {
	name := s.plan.target.Name + distfile.BundleSuffix
	full := bundle.File{Path: filepath.Join(p.dir, name)}
	// the current file if it exists, or else the file that packing would write
	kept, err := p.recall(ctx, s.plan.Layout, &full)
	if err == nil && !kept {
		full.Size, full.SHA256, err = p.w.Sum(ctx, s.plan.Layout, p.task)
	}
	if err != nil {
		return full, fmt.Errorf("packing %s: %w", name, err)
	}
	c, err := s.plan.Contents.Without(s.has, s.base.DeltaBase, full)
	if err != nil {
		return full, err
	}
	l, err := bundle.NewLayout(c)
	if err != nil {
		return full, fmt.Errorf("bundle %s: %w", s.plan.target.Name, err)
	}
	return p.file(ctx, l, name+bundle.DeltaSuffix, false)
}

// base is the base of a delta: the contents of a bundle, or a lock.
type base struct {
	bundle.DeltaBase

	path     string
	contents *bundle.Contents
	lock     *lock.Lock
}

// readBases reads bases, which must be of the product.
func readBases(ctx context.Context, paths []string, product string) ([]*base, error) {
	var all []*base
	for _, path := range paths {
		b, err := readBase(ctx, path)
		if err != nil {
			return nil, err
		}
		if b.Product != product {
			return nil, fmt.Errorf("%s is of %s, not of %s: the base of "+
				"a delta is an older release of the same product", path, b.Product, product)
		}
		all = append(all, b)
	}
	return all, nil
}

// nameBase is what to do about a base that is none.
const nameBase = "name a bundle, or the release.lock.json, of an older release"

// readBase reads a bundle, or else a lock.
func readBase(ctx context.Context, path string) (*base, error) {
	b := &base{path: path, DeltaBase: bundle.DeltaBase{File: filepath.Base(path)}}
	var foreign *bundle.FormatError
	opened, err := bundle.Open(path)
	switch {
	case err == nil:
		if err := errors.Join(opened.CheckSeekable(), opened.Close()); err != nil {
			return nil, err // what applies the delta reads every blob
		}
		b.contents = opened.Contents()
		b.Product, b.Version = b.contents.Product, b.contents.Version
	case errors.As(err, &foreign) && foreign.Foreign:
		l, lockErr := lock.Read(path)
		if lockErr != nil {
			return nil, fmt.Errorf("the base of a delta is a bundle or a release.lock.json: %w: %s", lockErr, nameBase)
		}
		b.lock, b.Product, b.Version = l, l.Name, l.Version
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the base of a delta, %s, is not there: %s", path, nameBase)
	default:
		return nil, err
	}
	h, err := disk.Digest(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the base of a delta: %w", err)
	}
	b.SHA256 = h.Hex
	return b, nil
}

func (b *base) serves() string {
	if b.lock != nil {
		return "other platforms"
	}
	of := b.contents.Platforms()
	if len(b.contents.Groups) > 0 {
		of += ", group " + strings.Join(b.contents.Groups, " and ")
	}
	return of
}

// layers returns what the base has for one of the targets; false if it is for another one.
func (b *base) layers(st *store.Store, t Target, targets []Target, first string) (map[v1.Hash]bool, bool, error) {
	contents := b.contents
	switch {
	case contents != nil && (!platform.Same(t.Platform, contents.Platform) || // revisions of Windows do not count
		!slices.Equal(slices.Sorted(slices.Values(t.Groups)), slices.Sorted(slices.Values(contents.Groups)))):
		return nil, false, nil
	case contents == nil:
		others := func(o Target) bool { return o.Name != t.Name && o.Name != t.Base }
		wanted := slices.DeleteFunc(slices.Clone(targets), others)
		plans, err := newPlans(reader{st: st}, b.lock, wanted, first, true)
		if err != nil {
			return nil, false, fmt.Errorf("%s: this store has not all of that release: name its bundle instead: %w",
				b.File, err)
		}
		n := slices.IndexFunc(plans, func(p *plan) bool { return p.target.Name == t.Name })
		if n < 0 {
			return nil, false, nil
		}
		contents = plans[n].Contents
	}
	return contents.LayerSet(), true, nil
}
