package assemble

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Baseline lists the sources and the inputs of a release as they were at one time.
type Baseline struct {
	Warnings []string // of inputs that others would lack

	in      Input
	sources []lock.Material
	set     *inputs.Set
	commits map[string]source.Commit // of directory sources, by name
	modules map[string]string        // commits of module sources that were proven, by name
}

// Baseline reads the sources and the inputs of the release.
func (in Input) Baseline(ctx context.Context) (*Baseline, error) {
	return in.baseline(ctx, map[string]string{})
}

func (in Input) baseline(ctx context.Context, modules map[string]string) (b *Baseline, err error) {
	b = &Baseline{in: in, commits: map[string]source.Commit{}, modules: modules}
	for _, s := range in.Product.Sources {
		tree, ok := in.Trees[s.Name]
		if !ok {
			continue
		}
		m := lock.Material{Name: s.Name, Revision: tree.Source.Revision}
		if s.Module == "" {
			m.Created = tree.Source.Created
			err = b.directory(ctx, s, &m)
		} else {
			err = b.module(ctx, s, &m)
		}
		if err != nil {
			return nil, err
		}
		b.sources = append(b.sources, m)
	}
	if b.set, err = collect(ctx, in.Product, b.sources); err != nil {
		return nil, err
	}
	for _, path := range b.set.Outside {
		b.Warnings = append(b.Warnings, "warning: "+
			path+" is outside of the product's repository: others cannot build the release without it")
	}
	return b, nil
}

// module fills in the hash of a module source, and the commit that it is proven to be made from.
func (b *Baseline) module(ctx context.Context, s product.Source, m *lock.Material) (err error) {
	path, version, _ := strings.Cut(s.Module, "@")
	m.URI = purl.Go(path, version)
	if m.DirHash, err = dirHash(s.Sum); err != nil {
		return fmt.Errorf("source %s: %w", s.Name, err)
	}
	switch {
	case s.Commit != "":
		m.GitCommit, m.Proven = s.Commit, s.Proven
	case s.Repository != "":
		if b.modules[s.Name] == "" {
			if b.modules[s.Name], err = source.Prove(ctx, s, s.Repository, b.in.Store.Temp()); err != nil {
				return err
			}
		}
		m.GitCommit, m.Proven = b.modules[s.Name], true
	}
	return nil
}

// directory fills in where a directory source is known from: its commit, if that has every file
// that slipway.yaml names. [Baseline.prove] compares the files that programs are compiled from.
func (b *Baseline) directory(ctx context.Context, s product.Source, m *lock.Material) error {
	m.URI, m.Own = "source:"+s.Name, s.Own
	m.Path = inputs.Source{Name: s.Name, Directory: s.Directory, Own: s.Own}.Path(b.in.Product)
	c, ok := source.Commit{Hash: s.Commit, In: s.In}, s.Commit != ""
	m.Proven = s.Proven
	if !ok {
		c, ok = source.Committed(ctx, s)
		if s.Revision == "" && c.Revision != m.Revision { // images have it already
			return fmt.Errorf("source %s %s",
				strings.Join(append([]string{s.Name}, c.Changes[:min(1, len(c.Changes))]...), ": "), runAgain)
		}
		if !ok {
			return nil
		}
		lacking, err := inputs.Lacking(b.in.Product, s.Directory, c.Has)
		if err != nil || lacking != "" {
			return err
		}
		m.Proven = true
		b.commits[s.Name] = c
	}
	if s.URL != "" {
		m.URI = "git+" + s.URL
	}
	m.GitCommit, m.Path = c.Hash, c.In
	return nil
}

// Materials lists the materials that all parts of a release share: sources, slipway and the
// archive of inputs, which goes into the store.
func (b *Baseline) Materials(ctx context.Context) ([]lock.Material, error) {
	archive, err := archived(ctx, b.in.Product, b.set, b.in.Store)
	if err != nil {
		return nil, err
	}
	self, err := slipway(b.in.Store)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(b.sources), archive, self), nil
}

// AllMaterials lists what a release with these programs is built from, as [Ready.Images] does,
// without building it.
func (b *Baseline) AllMaterials(ctx context.Context, programs []program.Program) ([]lock.Material, error) {
	all, err := b.Materials(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := toolchains(ctx, programs)
	if err != nil {
		return nil, err
	}
	all = append(all, tools...)
	lock.SortMaterials(all)
	return all, nil
}

// runAgain is the remedy for inputs that have changed.
const runAgain = "changed while the release was made, which may have it as it was or as it is: run again"

// Unchanged compares the sources and inputs as they are now with the baseline. A caller that has
// read all of them knows then that it has read the baseline.
func (b *Baseline) Unchanged(ctx context.Context) error {
	now, err := b.in.baseline(ctx, b.modules) // neither a commit nor a module can change
	if err != nil {
		return err
	}
	if path := b.set.Changed(now.set); path != "" {
		return fmt.Errorf("%s %s", path, runAgain)
	}
	if path := b.in.Product.Changed(now.set.Stamp); path != "" {
		return fmt.Errorf("%s %s", path, runAgain)
	}
	for n, m := range b.sources {
		if m != now.sources[n] {
			return fmt.Errorf("%s %s", m.Title(), runAgain)
		}
	}
	return nil
}
