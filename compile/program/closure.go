package program

import (
	"context"
	"fmt"
	"path/filepath"

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
	// flags, or from other versions of a module. IDs of two machines differ.
	ID string
}

// Closures returns the packages of each program, in their order, without compiling them.
func Closures(ctx context.Context, st *store.Store, programs []Program) (all []Closure, err error) {
	found := map[string]Closure{}
	for _, b := range batches(st, programs) {
		if err := b.closures(ctx, found); err != nil {
			return nil, err
		}
	}
	for _, p := range programs {
		all = append(all, found[id(p.Name, p.Platform)])
	}
	return all, nil
}

func (b *batch) closures(ctx context.Context, found map[string]Closure) error {
	if err := b.download(ctx); err != nil {
		return err
	}
	listed, programs, err := b.list(ctx, b.packages)
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		dir := filepath.Join(p.Tree.Dir, filepath.FromSlash(p.Package))
		deps := programs[dir]
		if deps == nil {
			return fmt.Errorf("listing the packages of program %s: the go command lists none in %s", p.Name, dir)
		}
		c := Closure{Program: deps[0]}
		for _, path := range deps {
			unique := fmt.Sprintf("%s %q %q %s %s", b.system, p.Flags, p.Env, listed[path].root, path)
			c.Packages = append(c.Packages, Package{Path: path, ID: unique})
		}
		found[id(p.Name, p.Platform)] = c
	}
	return nil
}
