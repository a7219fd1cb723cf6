package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/compile/prebuilt"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Built lists the images and artifacts that are in the store.
type Built struct {
	*built.Result

	// Times has how long compilers and linkers took, and how long the layers in the store took to
	// compress.
	Times *times.Weights
}

// maker makes the images and artifacts of one call of [Ready.Images].
type maker struct {
	*reader

	found    *Found
	kept     *kept
	programs *program.Set
	prebuilt map[Prebuilt]prebuilt.File
	noted    noted // the contents of images and artifacts
	warnings *progress.Warnings
	tools    once.Map[builder.Tool] // of Dockerfiles, by name
}

// Images builds every image, and adds its warnings to w. Once a caller has read the sources and
// inputs for the last time, it asks Baseline whether they are unchanged.
func (r *Ready) Images(ctx context.Context, w *progress.Warnings) (*Built, error) {
	defer r.kept.drop()
	m := &maker{reader: r.reader, found: r.Found, kept: r.kept, warnings: w}
	compilers, err := m.compilers(ctx)
	if err != nil {
		return nil, err
	}
	for _, line := range r.Baseline.Warnings {
		w.Add(line)
	}
	result, err := m.all(ctx, r.Baseline)
	if err != nil {
		return nil, err
	}
	result.Compilers = compilers
	return &Built{result, m.times()}, nil
}

// all makes images and artifacts while programs compile.
func (m *maker) all(ctx context.Context, b *Baseline) (*built.Result, error) {
	p := m.Product
	r := &built.Result{
		BuildVersion: stagefile.Build.Version, Name: p.Name, Version: p.Version, Created: m.created(),
		Selected: p.Selected, Sources: lockSources(p, m.Trees),
	}
	var here, tools []lock.Material
	var g errgroup.Group
	defer g.Wait() //nolint:errcheck // for an end before the result
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	set, wait := program.Start(ctx, m.Store, m.Progress, m.found.Programs)
	m.programs = set
	g.Go(func() (err error) { // while compilers and linkers leave a core to it
		if here, err = b.Materials(ctx); err != nil {
			stop(err)
		}
		return err
	})
	g.Go(func() (err error) {
		if tools, err = toolchains(ctx, m.found.Programs); err == nil {
			r.Go, err = GoVersion(ctx, m.found.Programs)
		}
		return err
	})
	var err error
	if m.prebuilt, err = readPrebuilt(ctx, p, m.Store, m.client); err != nil {
		stop(err)
		wait() //nolint:errcheck // it was ended
		return nil, context.Cause(ctx)
	}
	r.Prebuilt = lockPrebuilt(m.prebuilt)

	var failures []error
	r.Images, r.Artifacts, failures = m.each(ctx)
	compiled := wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := errors.Join(report(compiled, failures), g.Wait()); err != nil {
		return nil, err
	}
	r.Materials = slices.Concat(here, tools, m.documents())
	if r.Inventory, err = m.inventory(ctx); err != nil {
		return nil, err
	}
	if err := b.prove(ctx, set.Read(), r.Materials); err != nil {
		return nil, err
	}
	lock.SortMaterials(r.Materials)
	return r, nil
}

// each makes images and artifacts. Failures have that of each image, and at last that of the
// artifacts.
func (m *maker) each(ctx context.Context) (images []built.Image, files []lock.Artifact, failures []error) {
	images = make([]built.Image, len(m.Product.Images))
	var g sync.WaitGroup
	g.Go(func() {
		failures = inParallel(m.Product.Images, func(n int, i product.Image) (err error) {
			if images[n], err = kinds[i.Kind].build(m, ctx, i); err != nil {
				return fmt.Errorf("building image %s: %w", i.Name, err)
			}
			return nil
		})
	})
	files, err := m.artifacts(ctx)
	g.Wait()
	return images, files, append(failures, err)
}

// compilers returns the C compilers of the programs, as the lock has them, and warns of them
// once.
func (m *maker) compilers(ctx context.Context) (all []lock.Compiler, err error) {
	found, err := program.Compilers(ctx, m.found.Programs)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range found {
		all = append(all, lock.Compiler(c))
	}
	lock.SortCompilers(all)
	for _, c := range all {
		names = append(names, fmt.Sprintf("%s for %s (%s)", c.Command, c.Platform, c.Version))
	}
	if len(names) > 0 {
		m.warnings.Add("warning: programs are compiled with CGO by " + strings.Join(names, ", ") +
			": another version of a C compiler, or of its libraries, gives other bytes")
	}
	return all, nil
}

// times adds up the times of programs and layers.
func (m *maker) times() *times.Weights {
	all := times.New()
	all.Add(m.programs.Times())
	sums := map[times.Item]float64{}
	for t, s := range m.noted.times {
		sums[t.Item] += s
	}
	for i, s := range sums {
		all.Took(i, s)
	}
	return all
}

// report joins failures. An image or artifact that lacks a program adds nothing to the
// compiler's message, so it is not repeated.
func report(compiled error, others []error) error {
	return errors.Join(append([]error{compiled}, slices.DeleteFunc(others, func(err error) bool {
		return errors.As(err, new(program.ErrFailed))
	})...)...)
}

// lockSources are the sources as the lock has them.
func lockSources(p *product.Product, trees map[string]source.Tree) []lock.Source {
	all := []lock.Source{}
	for _, s := range p.Sources {
		t := trees[s.Name].Source
		all = append(all, lock.Source{
			Name: t.Name, Module: t.Module, Sum: t.Sum, Revision: t.Revision,
			URL: t.URL, Licenses: t.Licenses,
		})
	}
	return all
}

// inventory returns the contents of all images and artifacts, once they are built. Programs that no
// image has at last, because a later layer removes them, are not listed.
func (m *maker) inventory(ctx context.Context) (*lock.Inventory, error) {
	all := m.noted.inventory.Only(func(v1.Hash) bool { return true })
	sources := map[v1.Hash]string{}
	for _, p := range m.found.Programs {
		out, err := m.programs.File(ctx, p.Name, p.Platform)
		if err != nil {
			return nil, err
		}
		if have := sources[out.Content.Digest]; have == "" || p.Tree.Source.Name < have {
			sources[out.Content.Digest] = p.Tree.Source.Name
		}
	}
	for n := range all.Programs {
		all.Programs[n].Source = sources[all.Programs[n].Digest]
	}
	return all, nil
}
