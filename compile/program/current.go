package program

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/compile/source"
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
	key      string // of the records, without the package
	modcache string
	root     string           // of the main module
	known    map[string]known // by package
}

// known has the inputs of a program. Its last compilation is zero where the inputs were listed now.
type known struct {
	compiled

	before state  // before anything is compiled
	stamp  string // at the same time
}

// compare reads the inputs of a batch as far as they are known from before; nil means that they
// cannot be known: a C compiler reads files of the machine, and flags that are not among those that
// change the program alone may name any file.
func (b *batch) compare(ctx context.Context) (*comparison, error) {
	first := b.programs[0]
	strange := len(refusedFlags(first.Flags)) + len(refusedVariables(first.Env)) + len(refusedLdflags(first.Ldflags))
	if first.Tree.Fixed || first.IsCGO() || strange > 0 {
		return nil, nil
	}
	// A go.mod may choose another toolchain than the installed one.
	values, err := b.environment(ctx, "GOVERSION", "GOROOT", "GOMODCACHE", "GOMOD")
	if err != nil {
		return nil, err
	}
	if slices.Contains(values, "") || filepath.Base(values[3]) != "go.mod" {
		return nil, nil
	}
	variables := goVariables(first.environ(first.Tree.Go(ctx).Env, b.store.Temp()))
	c := &comparison{
		batch: b, modcache: values[2], root: filepath.Dir(values[3]), known: map[string]known{},
		key: fmt.Sprintf("%q\n%q\n%s\n%s", values[:2], variables, b.work, first.key()),
	}
	look := reading{}
	for _, p := range b.packages {
		var old compiled
		if found, err := b.store.Recall(kindInputs, c.key+"\n"+p, &old); err == nil && found {
			c.note(look, p, old)
		}
	}
	return c, nil
}

// environment returns variables of the go command that no variable of the batch changes. For the
// tree of a stranger the go command runs in the sandbox.
func (b *batch) environment(ctx context.Context, names ...string) ([]string, error) {
	const what = "its version"
	if tree := b.programs[0].Tree; !tree.Source.Sandbox.On() {
		return tree.Variables(ctx, what, names...)
	}
	return source.Variables(func(args ...string) *exec.Cmd { return b.command(ctx, args...) }, what, names...)
}

// ownVariables set where the go command keeps its own files, and how it uses memory.
var ownVariables = append([]string{"GOTMPDIR", "GOCACHE", "GOCACHEPROG"}, garbageVariables...)

// goVariables returns the variables of the go command in an environment, without its own.
func goVariables(env []string) []string {
	last := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GO") && !slices.Contains(ownVariables, name) {
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
func (c *comparison) current(p member) (Output, bool) {
	if c == nil {
		return Output{}, false
	}
	old := c.known[p.Package]
	if old.State.Content == "" || old.State != old.before {
		return Output{}, false
	}
	k, ok := c.batch.store.Kept(p.path)
	return newOutput(c.batch.store, k), ok && k.Digest == old.Digest
}

// record remembers the inputs of programs that were compiled. Inputs that were written meanwhile
// are an error: nobody knows which version the compiler has read. Unknown inputs are listed by
// the go command now, for [Set.Read], and again the next time.
func (c *comparison) record(ctx context.Context, programs []member, outputs []Output) error {
	if c == nil {
		return nil
	}
	last := reading{}
	var unknown []string
	for n, p := range programs {
		was, ok := c.known[p.Package]
		if !ok {
			unknown = append(unknown, p.Package)
			continue
		}
		after, err := last.state(was.Inputs)
		if err != nil || after != was.before || was.Inputs.stamp() != was.stamp {
			return fmt.Errorf("source %s changed while program %s was compiled from it: run again",
				p.Tree.Source.Name, p.Name)
		}
		now := compiled{Inputs: was.Inputs, State: after, Digest: outputs[n].Content.Digest}
		if err := c.batch.store.Record(kindInputs, c.key+"\n"+p.Package, now); err != nil {
			return err
		}
	}
	c.list(ctx, unknown)
	return ctx.Err()
}
