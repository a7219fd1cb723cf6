package assemble

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Images builds every image, as [Build] does after its checks. Who reads more of the sources, or
// nothing, calls [Builder.Unchanged] then.
func (b *Builder) Images(ctx context.Context) (*built.Result, error) {
	p := b.product
	defer b.kept.drop()
	r := &built.Result{
		BuildVersion: stagefile.Build.Version, Name: p.Name, Version: p.Version, Created: b.created,
		Selected: p.Selected, Sources: lockSources(p, b.trees),
	}
	var err error
	if b.compiled, err = b.Programs(); err != nil {
		return nil, err
	}
	if r.Compilers, err = b.compilers(ctx); err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil { // before anything is read
		return nil, err
	}
	var here, tools []lock.Material
	var g errgroup.Group
	defer g.Wait() //nolint:errcheck // for an end before the result
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	set, wait := program.Start(ctx, b.store, b.progress, b.compiled)
	b.programs = set
	g.Go(func() (err error) { // while compilers and linkers leave a core to it
		if here, err = b.materials(ctx); err != nil {
			stop(err)
		}
		return err
	})
	g.Go(func() (err error) {
		if tools, err = toolchains(ctx, b.compiled); err == nil {
			r.Go, err = GoVersion(ctx, b.compiled)
		}
		return err
	})
	if err := b.readPrebuilt(ctx, b.client); err != nil {
		stop(err)
		wait() //nolint:errcheck // it was ended
		return nil, context.Cause(ctx)
	}
	r.Prebuilt = b.Prebuilt()

	var failures []error
	r.Images, r.Artifacts, failures = b.each(ctx)
	compiled := wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := errors.Join(report(compiled, failures), g.Wait()); err != nil {
		return nil, err
	}
	r.Materials = slices.Concat(here, tools)
	return r, b.complete(ctx, r)
}

// compilers returns the C compilers of the programs, as the lock has them, and warns of them
// once.
func (b *Builder) compilers(ctx context.Context) (all []lock.Compiler, err error) {
	found, err := program.Compilers(ctx, b.compiled)
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
		b.warnings.Add("warning: programs are compiled with CGO by " + strings.Join(names, ", ") +
			": another version of a C compiler, or of its libraries, gives other bytes")
	}
	return all, nil
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

// complete adds to a result its contents and the rest of what it was made from.
func (b *Builder) complete(ctx context.Context, r *built.Result) (err error) {
	r.Materials = append(r.Materials, b.documents()...)
	if r.Inventory, err = b.inventory(ctx); err != nil {
		return err
	}
	if err := b.prove(ctx, b.programs.Read(), r.Materials); err != nil {
		return err
	}
	lock.SortMaterials(r.Materials)
	return nil
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

// maxDocument bounds the documents of bases that a statement has: larger ones are read from the
// registry again. Those of real bases have some KB.
const maxDocument = 1 << 20

// documents lists the documents of the bases that images were built on, with their bytes.
func (b *Builder) documents() []lock.Material {
	var all []lock.Material
	for _, d := range b.bases.Documents() {
		if len(d.Content) > maxDocument {
			continue
		}
		uri := purl.ImageFile(d.File) + "@" + d.Digest.String()
		if d.File == "" {
			uri = purl.OCI(d.Repository.Name(), d.Digest.String(), nil)
		}
		all = append(all, lock.Material{
			URI: uri, SHA256: d.Digest.Hex,
			Content: base64.StdEncoding.EncodeToString(d.Content),
		})
	}
	return all
}

// inventory returns what all images and artifacts contain, once they are built. Programs that are
// in none of them at last, because a later layer removes them, are not listed.
func (b *Builder) inventory(ctx context.Context) (*lock.Inventory, error) {
	all := b.noted.inventory.Only(func(v1.Hash) bool { return true })
	sources := map[v1.Hash]string{}
	for _, p := range b.compiled {
		out, err := b.programs.File(ctx, p.Name, p.Platform)
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
