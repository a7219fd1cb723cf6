package program

import (
	"context"

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
func Look(ctx context.Context, st *store.Store, programs []Program) (all []State, err error) {
	states := map[string]State{}
	for _, b := range batches(st, programs) {
		if err := b.look(ctx, states); err != nil {
			return nil, err
		}
	}
	for _, p := range programs {
		all = append(all, states[id(p.Name, p.Platform)])
	}
	return all, nil
}

// look adds the states of the programs of a batch.
func (b *batch) look(ctx context.Context, states map[string]State) error {
	key, err := b.fixed(ctx)
	if err != nil {
		return err
	}
	allKept := b.recall(key) != nil
	c, err := b.compare(ctx)
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		s := Compile
		if _, ok := c.current(p); ok || allKept {
			s = Kept
		} else if _, ok := b.store.Kept(p.path); ok && !p.Tree.Fixed {
			s = Compare
		}
		states[id(p.Name, p.Platform)] = s
	}
	return nil
}
