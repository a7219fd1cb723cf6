// Package program compiles the Go programs of a product.
//
// Programs that share a source, a platform and their flags are one batch: one go build, which
// compiles their packages once and links them at the same time. The outputs stay where they are. A
// program whose inputs have not changed since it was compiled is not given to the go command again
// (current.go); of the others, the go command decides which are current. The go command decides by
// the build ID near the start of a file, whatever follows, so that files whose bytes have changed
// since they were compiled are removed before. Batches of one platform run one after the other,
// because they share the standard library and more; batches of different platforms run at the
// same time, so that one links while the other compiles.
package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Program is a main package to be compiled for one platform. Windows releases share their
// programs: OSVersion is not looked at.
type Program struct {
	Name     string // the file's name without .exe
	Tree     source.Tree
	Package  string // "./cmd/controller", relative to the tree
	Platform platform.Platform
	// Ldflags, Flags and Env go to the go command as they are; -trimpath and CGO_ENABLED=0 apply
	// unless these override them.
	Ldflags, Flags, Env []string
}

// New returns the program p of a product for one platform: its flags follow those of its source,
// or are those of the source's .ko.yaml if slipway.yaml does not give any, and templates in ldflags
// are expanded.
func New(p product.Program, tree source.Tree, productVersion string, on platform.Platform) (Program, error) {
	given := tree.Source.For(on.OS).And(p.For(on.OS))
	r := Program{Name: p.Name, Tree: tree, Package: p.Package, Platform: on, Flags: given.Flags, Env: given.Env}
	info := tree.Info(productVersion)
	if given.Ldflags != nil {
		r.Ldflags = []string{}
	}
	for _, f := range given.Ldflags {
		s, err := product.Expand(f, info)
		if err != nil {
			return Program{}, fmt.Errorf("program %s: ldflags %q: %w", p.Name, f, err)
		}
		r.Ldflags = append(r.Ldflags, s)
	}
	err := r.readKo(info)
	r.addTags(given.Tags)
	if cc, ok := p.Compiler(on); ok {
		r.Env = append(slices.Clone(r.Env), "CGO_ENABLED=1", "CC="+cc)
	}
	return r, err
}

// Same reports whether another program, of any name, comes out the same.
func (p Program) Same(o Program) bool {
	return p.key() == o.key() && p.Package == o.Package
}

// Identity names the program as [Program.Same] does: programs of one identity come out the same.
func (p Program) Identity() string { return p.key() + "\n" + p.Package }

// System is the platform without the Windows release: what the program is compiled for.
func (p Program) System() string { return p.Platform.System().String() }

// key names the batch a program belongs to.
func (p Program) key() string {
	return fmt.Sprintf("%s\n%s %s %s\n%q\n%q\n%q", p.Tree.Dir, p.Platform.OS, p.Platform.Architecture,
		p.Platform.Variant, strings.Join(p.Ldflags, " "), p.Flags, p.Env)
}
