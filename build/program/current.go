package program

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/store"
)

const kindInputs = "inputs"

// compiled is what the store remembers of a program that was compiled from a directory.
type compiled struct {
	Inputs inputs  `json:"inputs"`
	State  state   `json:"state"` // of the inputs while the program was compiled
	Digest v1.Hash `json:"digest"`
}

// comparison compares the inputs of the programs of a batch with those that they were compiled
// from before.
type comparison struct {
	batch    *batch
	store    *store.Store
	dir      string // of the outputs
	key      string // of the records, without the package
	modcache string
	old      map[string]compiled // by package
	before   map[string]state    // of the old inputs, before anything is compiled
	stamps   map[string]string   // of the same
}

// compare reads the inputs of a batch as far as they are known from before. It returns nil where
// they cannot be known: a C compiler reads files of the machine, and flags that are not among
// those that change the program alone may name any file.
func (b *batch) compare(ctx context.Context, st *store.Store, dir string) (*comparison, error) {
	first := b.programs[0]
	strange := len(refusedFlags(first.Flags)) + len(refusedVariables(first.Env)) + len(refusedLdflags(first.Ldflags))
	if first.Tree.Fixed || first.IsCGO() || strange > 0 {
		return nil, nil
	}
	// A go.mod may choose another toolchain than the one that is installed.
	out, err := b.command(ctx, st, "env", "GOVERSION", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("asking the go command for its version: %w", source.Said(err))
	}
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(said) != 3 || slices.Contains(said, "") {
		return nil, nil
	}
	c := &comparison{
		batch: b, store: st, dir: dir, modcache: said[2],
		key: fmt.Sprintf("%q\n%q\n%s\n%s", said[:2], goVariables(first.environ(first.Tree.Go(ctx).Env, st)), b.work(), first.key()),
		old: map[string]compiled{}, before: map[string]state{}, stamps: map[string]string{},
	}
	look := reading{}
	for _, p := range b.packages() {
		var old compiled
		if found, err := st.Recall(kindInputs, c.key+"\n"+p, &old); err != nil || !found {
			continue
		}
		stamp := old.Inputs.stamp()
		if now, err := look.state(old.Inputs); err == nil {
			c.old[p], c.before[p], c.stamps[p] = old, now, stamp
		}
	}
	return c, nil
}

// goVariables returns the variables of the go command in an environment, without those that only
// set where it keeps its own files.
func goVariables(env []string) []string {
	last := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GO") && !slices.Contains([]string{"GOTMPDIR", "GOCACHE", "GOCACHEPROG"}, name) {
			last[name] = value
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(last)) {
		all = append(all, name+"="+last[name])
	}
	return all
}

// current reports whether a program that was compiled before is what would be compiled now. The
// program is not read here: who reads one compares it with its digest.
func (c *comparison) current(p Program) (Output, bool) {
	if c == nil {
		return Output{}, false
	}
	old := c.old[p.Package]
	if old.State.Content == "" || old.State != c.before[p.Package] {
		return Output{}, false
	}
	path := filepath.Join(c.dir, p.output())
	k, ok := c.store.Kept(path)
	return newOutput(c.store, path, k), ok && k.Digest == old.Digest
}

// learn lists the inputs of programs that were never compiled here, or whose inputs may be others
// by now, so that they can be read before these are.
func (c *comparison) learn(ctx context.Context) {
	var unknown []string
	for _, p := range c.batch.packages() {
		if old, ok := c.old[p]; !ok || old.State.Shape != c.before[p].Shape {
			unknown = append(unknown, p)
			delete(c.old, p)
		}
	}
	if len(unknown) > 0 {
		c.list(ctx, unknown)
	}
}

// list asks the go command for the inputs of packages, and reads them.
func (c *comparison) list(ctx context.Context, packages []string) {
	look := reading{}
	for p, in := range c.batch.list(ctx, c.store, packages, c.modcache) {
		stamp := in.stamp()
		if now, err := look.state(in); err == nil {
			c.old[p], c.before[p], c.stamps[p] = compiled{Inputs: in}, now, stamp
		}
	}
}

// record remembers what programs were compiled from. It is an error if that was written
// meanwhile: it is unknown what the compiler has read. Where it was not known before, the go
// command lists it now, for [Set.Read], and looks again the next time.
func (c *comparison) record(ctx context.Context, programs []Program, outputs []Output) error {
	last := reading{}
	var unknown []string
	for n, p := range programs {
		was, ok := c.old[p.Package]
		if !ok {
			unknown = append(unknown, p.Package)
			continue
		}
		after, err := last.state(was.Inputs)
		if err != nil || after != c.before[p.Package] || was.Inputs.stamp() != c.stamps[p.Package] {
			return fmt.Errorf("source %s changed while program %s was compiled from it: run again", p.Tree.Source.Name, p.Name)
		}
		now := compiled{Inputs: was.Inputs, State: after, Digest: outputs[n].Content.Digest}
		if err := c.store.Record(kindInputs, c.key+"\n"+p.Package, now); err != nil {
			return err
		}
	}
	if len(unknown) > 0 {
		c.list(ctx, unknown)
	}
	return ctx.Err()
}
