package program

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/store"
)

// State is whether a program has to be compiled.
type State string

// The states of programs. What is in a directory may have changed in any of its files: the go
// command compares them when it compiles, and does the least that is necessary.
const (
	Kept    State = "kept"    // the store has it, compiled from the same inputs
	Compare State = "compare" // the store has it, compiled from a directory that may have changed
	Compile State = "compile"
)

// Look returns the state of each program in st, in the order of the list. It compiles nothing and
// writes nothing. The programs that the store has are not read.
func Look(ctx context.Context, st *store.Store, programs []Program) ([]State, error) {
	states := map[string]State{}
	toolchain := ""
	for _, b := range batches(programs) {
		if b.programs[0].Tree.Fixed && toolchain == "" {
			var err error
			if toolchain, err = source.Version(ctx); err != nil {
				return nil, err
			}
		}
		s, err := b.look(ctx, st, toolchain)
		if err != nil {
			return nil, err
		}
		for _, p := range b.programs {
			states[id(p.Name, p.Platform)] = s
		}
	}
	var all []State
	for _, p := range programs {
		all = append(all, states[id(p.Name, p.Platform)])
	}
	return all, nil
}

// look returns the state of the programs of a batch, which are compiled together.
func (b *batch) look(ctx context.Context, st *store.Store, toolchain string) (State, error) {
	dir := st.WorkPath(b.work())
	if b.programs[0].Tree.Fixed {
		key, err := b.key(ctx, toolchain)
		if err != nil || b.recall(st, key, dir) == nil {
			return Compile, err
		}
		return Kept, nil
	}
	for _, p := range b.programs {
		if _, ok := st.Kept(filepath.Join(dir, p.output())); !ok {
			return Compile, nil
		}
	}
	return Compare, nil
}

// work names the directory of a batch in the store's scratch space.
func (b *batch) work() string {
	return "go/" + b.id + "/" + strings.ReplaceAll(system(b.programs[0].Platform), "/", "_")
}
