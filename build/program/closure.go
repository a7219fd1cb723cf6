package program

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/store"
)

// Closure is what a program consists of.
type Closure struct {
	Program  string    // import path
	Packages []Package // the program's own comes first
}

// Package is a package that is compiled for a system.
type Package struct {
	Path string
	// ID differs between packages that are compiled separately: for other systems, with other
	// flags, or from other versions of a module. It holds on this machine only.
	ID string
}

// Closures returns what each program consists of, in their order. It compiles nothing.
func Closures(ctx context.Context, st *store.Store, programs []Program) ([]Closure, error) {
	found := map[string]Closure{}
	for _, b := range batches(programs) {
		if err := b.closures(ctx, st, found); err != nil {
			return nil, err
		}
	}
	var all []Closure
	for _, p := range programs {
		all = append(all, found[id(p.Name, p.Platform)])
	}
	return all, nil
}

// closureFormat prints a line for each package: its import path and its module's directory. For
// each package that was asked for, a line with its directory and all that it imports follows.
const closureFormat = `package {{printf "%q" .ImportPath}} {{with .Module}}{{printf "%q" .Dir}}{{else}}""{{end}}{{"\n"}}` +
	`{{if not .DepOnly}}program {{printf "%q %q" .Dir .ImportPath}}{{range .Deps}} {{printf "%q" .}}{{end}}{{"\n"}}{{end}}`

func (b *batch) closures(ctx context.Context, st *store.Store, found map[string]Closure) error {
	first := b.programs[0]
	if err := b.download(ctx, st); err != nil {
		return err
	}
	out, err := b.command(ctx, st, slices.Concat([]string{"list", "-deps", "-f", closureFormat}, b.arguments(), b.packages())...).Output()
	if err != nil {
		return fmt.Errorf("listing the packages of source %s for %s: %w", first.Tree.Source.Name, system(first.Platform), source.Said(err))
	}
	under := fmt.Sprintf("%s %q %q ", system(first.Platform), first.Flags, first.Env)
	modules, programs := map[string]string{}, map[string][]string{} // the latter by directory
	for line := range strings.Lines(string(out)) {
		kind, rest, _ := strings.Cut(line, " ")
		switch fields, err := unquote(rest); {
		case err != nil:
			return fmt.Errorf("listing the packages of source %s: %q: %w", first.Tree.Source.Name, line, err)
		case kind == "package" && len(fields) == 2:
			modules[fields[0]] = fields[1]
		case kind == "program" && len(fields) >= 2:
			programs[fields[0]] = fields[1:]
		}
	}
	for _, p := range b.programs {
		dir := filepath.Join(p.Tree.Dir, filepath.FromSlash(p.Package))
		deps := programs[dir]
		if deps == nil {
			return fmt.Errorf("listing the packages of program %s: the go command lists none in %s", p.Name, dir)
		}
		c := Closure{Program: deps[0]}
		for _, path := range deps {
			c.Packages = append(c.Packages, Package{Path: path, ID: under + modules[path] + " " + path})
		}
		found[id(p.Name, p.Platform)] = c
	}
	return nil
}
