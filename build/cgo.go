package build

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// compilers returns the C compilers of programs, as the lock has them, and warns of them once.
func (b *Builder) compilers(ctx context.Context, programs []program.Program) (all []lock.Compiler, err error) {
	found, err := program.Compilers(ctx, programs)
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
		b.warnings.Add("warning: programs are compiled with CGO by " + strings.Join(names, ", ") + ": another version of a C compiler, or of its libraries, gives other bytes")
	}
	return all, nil
}

// checkLibraries reports shared libraries that the program of a go image needs and the image does
// not have, as it is for Dockerfiles. A Go program without CGO needs none.
func (b *Builder) checkLibraries(ctx context.Context, i product.Image, p platform.Platform, name string, file layer.Content) (notes []string, err error) {
	source := fmt.Sprintf("FROM %s\nCOPY --from=%s %s %s/\nENTRYPOINT [%q]\n", i.Bases[p.OS], binaries, path.Base(name), path.Dir(name), name)
	r, err := dockerfile.Build(ctx, dockerfile.Input{
		File: "go image " + i.Name, Source: []byte(source), Platform: p, ModTime: layer.Epoch, Store: b.store, Client: b.client, Base: b.bases.Resolve,
		Contexts: map[string]dockerfile.Context{binaries: {Files: map[string]dockerfile.File{path.Base(name): {Content: file, Mode: 0o755}}}},
	})
	if err != nil {
		return nil, err
	}
	under, err := b.completeBase(ctx, r.Base, p)
	if err != nil {
		return nil, err
	}
	here, err := under.Here(b.store)
	if err != nil {
		return nil, err
	}
	return checkRun(r, here, i.AllowLibraries)
}

// mayNeedLibraries reports whether a program may be linked with shared libraries.
func (b *Builder) mayNeedLibraries(decl product.Program, p platform.Platform) bool {
	tree, ok := b.trees[decl.Source]
	if !ok {
		return decl.IsPrebuilt()
	}
	compiled, err := program.New(decl, tree, b.product.Version, p)
	return err == nil && compiled.IsCGO()
}
