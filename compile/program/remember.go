package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/store"
)

const kindBatch = "batch"

// tidy removes the files by which the go command asks for the umask, which it leaves where it is
// killed: if every program is current, nothing else looks into the directory.
func (b *batch) tidy() error {
	left, err := filepath.Glob(filepath.Join(b.dir, "*-go-tmp-umask"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing what an interrupted build left: %w", err)
		}
	}
	return nil
}

// fixed names everything the batch follows from, of which C compilers are some, where a hash fixes
// its source, and is empty where that cannot be known. The go.mod of the source may choose the
// toolchain.
func (b *batch) fixed(ctx context.Context) (string, error) {
	first := b.programs[0]
	if !first.Tree.Fixed {
		return "", nil
	}
	toolchain, err := first.Tree.GoVersion(ctx)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%s %s %s\n%s", toolchain, first.Tree.Source.Sum, b.id, first.key())
	compilers, err := Compilers(ctx, []Program{first.Program})
	for _, c := range compilers {
		key += "\n" + c.Version
	}
	return key, err
}

// recall returns the programs of a batch that was compiled before, from the same source, by the
// same toolchain; nil where it was not. That is for sources that a hash fixes; the programs of a
// directory are compared one by one ([batch.compare]). The programs are not read here: who reads
// one compares it with its digest.
func (b *batch) recall(key string) (all []Output) {
	if key == "" {
		return nil
	}
	var then []v1.Hash
	if found, err := b.store.Recall(kindBatch, key, &then); err != nil || !found || len(then) != len(b.programs) {
		return nil
	}
	for n, p := range b.programs {
		k, ok := b.store.Kept(p.path)
		if !ok || k.Digest != then[n] {
			return nil
		}
		all = append(all, newOutput(b.store, k))
	}
	return all
}

// newOutput returns a program that the store keeps. Its reader compares it with the digest that
// it was kept with.
func newOutput(st *store.Store, k store.Kept) Output {
	return Output{Path: st.PathKept(k), Content: layer.Content{
		Digest: k.Digest, Size: k.Size, Open: func() (io.ReadCloser, error) { return st.OpenKept(k) },
	}}
}

// State is whether a program has to be compiled.
type State string

// The states of programs. Where the inputs of a program are not known or not the same, the go
// command compares them when it compiles, and does the least that is necessary.
const (
	Kept    State = "kept"    // the store has it, compiled from the same inputs
	Compare State = "compare" // the store has it, compiled from a directory that has changed, or may have
	Compile State = "compile"
)

// Look returns the state of each program in st, in the order of the list, without compiling or
// writing anything. The programs that the store has are not read.
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
