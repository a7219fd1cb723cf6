package program

import (
	"context"
	"crypto/sha512"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/inventory"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/store"
)

const kindBatch = "batch"

// recall returns the programs of a batch that was compiled before, from the same source, by the
// same toolchain; nil where it was not. That is for sources that a hash fixes; the programs of a
// directory are compared one by one ([batch.compare]). The programs are not read here: who reads
// one compares it with its digest.
func (b *batch) recall(st *store.Store, key, dir string) []Output {
	if key == "" {
		return nil
	}
	var then []v1.Hash
	if found, err := st.Recall(kindBatch, key, &then); err != nil || !found || len(then) != len(b.programs) {
		return nil
	}
	var all []Output
	for n, p := range b.programs {
		path := filepath.Join(dir, p.output())
		k, ok := st.Kept(path)
		if !ok || k.Digest != then[n] {
			return nil
		}
		all = append(all, newOutput(st, path, k))
	}
	return all
}

// tidy removes the files by which the go command asks for the umask, which it leaves where it is
// killed: if every program is current, nothing else looks into the directory.
func tidy(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "*-go-tmp-umask"))
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

// prove removes from dir what the go command must not take for current when it compiles programs:
// what does not have the bytes that were compiled, and all of it where the source is fixed, since
// that was compiled from something else. The other programs of the batch stay. What else is there
// is the go command's own, of a run that was killed.
func (b *batch) prove(ctx context.Context, st *store.Store, dir string, programs []Program) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading what was compiled before: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case makes(b.programs, e.Name()) && !makes(programs, e.Name()):
			continue
		case !b.programs[0].Tree.Fixed && makes(programs, e.Name()):
			ok, err := st.ProveKept(ctx, path)
			if err != nil {
				return err
			}
			if ok {
				continue
			}
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("removing what was compiled before: %w", err)
		}
	}
	return nil
}

// makes reports whether one of the programs is compiled into a file of that name.
func makes(programs []Program, name string) bool {
	return slices.ContainsFunc(programs, func(p Program) bool { return p.output() == name })
}

// keep records the digests of the programs that were compiled.
func keep(ctx context.Context, st *store.Store, key, dir string, programs []Program) ([]Output, error) {
	var all []Output
	var digests []v1.Hash
	for _, p := range programs {
		k, err := keepProgram(ctx, st, filepath.Join(dir, p.output()))
		if err != nil {
			return nil, err
		}
		path := st.PathKept(k)
		all, digests = append(all, newOutput(st, path, k)), append(digests, k.Digest)
	}
	if key == "" {
		return all, nil
	}
	return all, st.Record(kindBatch, key, digests)
}

// keepProgram records the digest of a program, and what it consists of, in one pass.
func keepProgram(ctx context.Context, st *store.Store, path string) (store.Kept, error) {
	h := sha512.New()
	k, err := st.Keep(ctx, path, h)
	if err != nil {
		return k, err
	}
	return k, inventory.Record(st, k, h.Sum(nil))
}

// fixed names everything the batch follows from, or is empty where that cannot be known.
func (b *batch) fixed(ctx context.Context) (string, error) {
	if !b.programs[0].Tree.Fixed {
		return "", nil
	}
	toolchain, err := source.Version(ctx)
	if err != nil {
		return "", err
	}
	return b.key(ctx, toolchain)
}

// key names the inputs of a batch whose source a hash fixes, of which C compilers are some.
func (b *batch) key(ctx context.Context, toolchain string) (string, error) {
	first := b.programs[0]
	key := fmt.Sprintf("%s %s %s\n%s", toolchain, first.Tree.Source.Sum, b.id, first.key())
	compilers, err := Compilers(ctx, b.programs[:1])
	for _, c := range compilers {
		key += "\n" + c.Version
	}
	return key, err
}
