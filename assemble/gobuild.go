package assemble

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
)

// compiler makes the programs of go build in Dockerfiles from the sources of the product, as those
// under programs in slipway.yaml are made.
func (b *Builder) compiler() containerfile.Compiler {
	return containerfile.Compiler{
		Check: func(g containerfile.GoBuild) error {
			p, err := b.goBuild(g)
			if err != nil {
				return err
			}
			return p.Check()
		},
		File: func(ctx context.Context, g containerfile.GoBuild) (layer.Content, error) {
			p, err := b.goBuild(g)
			if err != nil {
				return layer.Content{}, err
			}
			for _, known := range b.compiled {
				if known.Same(p) {
					out, err := b.programs.File(ctx, known.Name, known.Platform)
					return out.Content, err
				}
			}
			return layer.Content{}, fmt.Errorf("program %s was not found by the check before: "+
				"run again, and do not change the Dockerfile while it is built", g.Name)
		},
	}
}

// goBuild returns the program of a go build. Its name may be that of another one.
func (b *Builder) goBuild(g containerfile.GoBuild) (program.Program, error) {
	tree, ok := b.treeOf(g.Dir)
	if !ok {
		return program.Program{}, fmt.Errorf("RUN go build: %s is in no source of slipway.yaml: "+
			"declare the directory, or the module, under sources", g.Dir)
	}
	p := program.Program{Name: g.Name, Tree: tree, Package: g.Package, Platform: g.Platform, Env: g.Env}
	p.Tree.Dir = g.Dir // of a module in a directory of the source
	if g.Ldflags != "" {
		p.Ldflags = []string{g.Ldflags}
	}
	for _, f := range g.Flags {
		if tree.Fixed && f == "-mod=vendor" {
			continue // modules of a proxy have no vendor directory
		}
		p.Flags = append(p.Flags, f)
	}
	if len(g.Tags) > 0 {
		p.Flags = append(p.Flags, "-tags="+strings.Join(g.Tags, ","))
	}
	return p, nil
}

// treeOf returns the source that a directory is in, the innermost where there are several.
func (b *Builder) treeOf(dir string) (found source.Tree, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(b.trees)) {
		t := b.trees[name]
		if disk.Within(t.Dir, dir) && (!ok || len(t.Dir) > len(found.Dir)) {
			found, ok = t, true
		}
	}
	return found, ok
}

// moduleMode returns the mode of a file of a Go module, which has none: the go command takes it
// from the umask and -modcacherw.
func moduleMode(_ context.Context, _ string, fi fs.FileInfo) (fs.FileMode, error) {
	if fi.IsDir() {
		return fs.ModeDir | 0o755, nil
	}
	return fi.Mode().Type() | 0o644, nil
}
