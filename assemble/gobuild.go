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

// checkGoBuild checks a go build of a Dockerfile. Its program is compiled from the sources of the
// product, as those under programs in slipway.yaml are.
func (in Input) checkGoBuild(g containerfile.GoBuild) error {
	p, err := in.goBuild(g)
	if err != nil {
		return err
	}
	return p.Check()
}

// compiled returns the program of a go build, once it is compiled.
func (m *maker) compiled(ctx context.Context, g containerfile.GoBuild) (layer.Content, error) {
	p, err := m.goBuild(g)
	if err != nil {
		return layer.Content{}, err
	}
	n := slices.IndexFunc(m.found.Programs, p.Same)
	if n < 0 {
		return layer.Content{}, fmt.Errorf("program %s was not found by the check before: "+
			"run again, and do not change the Dockerfile while it is built", g.Name)
	}
	known := m.found.Programs[n]
	out, err := m.programs.File(ctx, known.Name, known.Platform)
	return out.Content, err
}

// goBuild returns the program of a go build. Its name may be that of another one.
func (in Input) goBuild(g containerfile.GoBuild) (program.Program, error) {
	var tree source.Tree // the innermost where there are several, then the first by name
	for _, name := range slices.Sorted(maps.Keys(in.Trees)) {
		if t := in.Trees[name]; disk.Within(t.Dir, g.Dir) && len(t.Dir) > len(tree.Dir) {
			tree = t
		}
	}
	if tree.Dir == "" {
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

// moduleMode returns the mode of a file of a Go module. The go command takes that on the disk from
// the umask and -modcacherw.
func moduleMode(_ context.Context, _ string, fi fs.FileInfo) (fs.FileMode, error) {
	if fi.IsDir() {
		return fs.ModeDir | 0o755, nil
	}
	return fi.Mode().Type() | 0o644, nil
}
