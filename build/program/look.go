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

// The states of programs. Where the inputs of a program are not known or not the same, the go
// command compares them when it compiles, and does the least that is necessary.
const (
	Kept    State = "kept"    // the store has it, compiled from the same inputs
	Compare State = "compare" // the store has it, compiled from a directory that has changed, or may have
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
		if err := b.look(ctx, st, toolchain, states); err != nil {
			return nil, err
		}
	}
	var all []State
	for _, p := range programs {
		all = append(all, states[id(p.Name, p.Platform)])
	}
	return all, nil
}

// look adds the states of the programs of a batch.
func (b *batch) look(ctx context.Context, st *store.Store, toolchain string, states map[string]State) error {
	dir := st.WorkPath(b.work())
	set := func(p Program, s State) { states[id(p.Name, p.Platform)] = s }
	if b.programs[0].Tree.Fixed {
		key, err := b.key(ctx, toolchain)
		s := Compile
		if err == nil && b.recall(st, key, dir) != nil {
			s = Kept
		}
		for _, p := range b.programs {
			set(p, s)
		}
		return err
	}
	c, err := b.compare(ctx, st, dir)
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		if _, ok := c.current(p); ok {
			set(p, Kept)
		} else if _, ok := st.Kept(filepath.Join(dir, p.output())); ok {
			set(p, Compare)
		} else {
			set(p, Compile)
		}
	}
	return nil
}

// work names the directory of a batch in the store's scratch space.
func (b *batch) work() string {
	return "go/" + b.id + "/" + strings.ReplaceAll(system(b.programs[0].Platform), "/", "_")
}
