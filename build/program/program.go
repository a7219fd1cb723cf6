// Package program compiles the Go programs of a product.
//
// Programs that share a source, a platform and their flags are one batch: one go build, which
// compiles what they share once and links them side by side. The outputs stay where they are. A
// program whose inputs are those that it was compiled from is not given to the go command again
// (current.go); of the others, the go command finds out itself what is current. It takes a file
// for current by the build ID near its start, whatever follows: it is shown none whose bytes are
// not those that were compiled. Batches of one platform run one after the other, because they
// share the standard library and more; batches of different platforms run at the same time, so
// that one links while the other compiles.
package program

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/regular"
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
// templates in ldflags are expanded, and where neither has any, those of the source's .ko.yaml
// stand in.
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
func (p Program) System() string { return system(p.Platform) }

// addTags adds build tags to the flags. The go command takes the last -tags only, so that all
// become one.
func (p *Program) addTags(tags []string) {
	if len(tags) == 0 {
		return
	}
	var flags, all []string
	for i := 0; i < len(p.Flags); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(p.Flags[i], "-"), "=")
		switch {
		case name != "tags":
			flags = append(flags, p.Flags[i])
			continue
		case !given && i+1 < len(p.Flags): // of a .ko.yaml
			i++
			value = p.Flags[i]
		}
		all = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	for _, t := range tags {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	flags = append(flags, "-tags="+strings.Join(all, ","))
	p.Flags = flags
}

// key names the batch a program belongs to.
func (p Program) key() string {
	return fmt.Sprintf("%s\n%s %s %s\n%q\n%q\n%q", p.Tree.Dir, p.Platform.OS, p.Platform.Architecture, p.Platform.Variant, strings.Join(p.Ldflags, " "), p.Flags, p.Env)
}

// built is the name the go command gives the program: the last element of its package's path, or
// the one before a major version.
func (p Program) built() string {
	full := path.Join(modulePath(p.Tree), path.Clean(p.Package))
	if base := path.Base(full); majorVersion.MatchString(base) && base != full {
		return path.Base(path.Dir(full))
	}
	return path.Base(full)
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// modulePath is the import path of the tree's root.
func modulePath(tree source.Tree) string {
	if tree.Source.Module != "" {
		p, _, _ := strings.Cut(tree.Source.Module, "@")
		return p
	}
	b, err := regular.Read(filepath.Join(tree.Dir, "go.mod"))
	if err != nil {
		return "" // the go command will report what is missing
	}
	return modfile.ModulePath(b)
}

// output is the file name the go command gives the program.
func (p Program) output() string {
	if p.Platform.OS == platform.Windows {
		return p.built() + ".exe"
	}
	return p.built()
}

// batch is what one go build makes.
type batch struct {
	programs []Program
	id       string         // of the batch's directory
	times    *times.Weights // of compile; nil if nothing was compiled
	sources  func() []Read  // of run
}

// batches groups programs; the order of slipway.yaml is kept. Two packages with one last path
// element cannot share an output directory and so not a batch either.
func batches(programs []Program) []*batch {
	var all []*batch
	for _, p := range programs {
		at := slices.IndexFunc(all, func(b *batch) bool {
			return b.programs[0].key() == p.key() && !slices.ContainsFunc(b.programs, func(o Program) bool {
				return o.built() == p.built() && o.Package != p.Package || o.Name == p.Name
			})
		})
		if at < 0 {
			all = append(all, &batch{})
			at = len(all) - 1
		}
		all[at].programs = append(all[at].programs, p)
	}
	for _, b := range all {
		first := b.programs[0]
		names := make([]string, 0, len(b.programs))
		for _, p := range b.programs {
			names = append(names, p.Name+"="+p.Package)
		}
		slices.Sort(names)
		sum := sha256.Sum256([]byte(first.key() + strings.Join(names, " ")))
		b.id = first.Tree.Source.Name + "-" + hex.EncodeToString(sum[:6])
	}
	return all
}
