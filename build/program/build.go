package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Set is a set of programs that are being compiled. [Set.File] waits for one.
type Set struct {
	done    map[string]chan struct{} // by id of a program; closed when its batch has ended
	mu      sync.Mutex
	outputs map[string]Output
	err     map[string]error
	times   *times.Weights
	read    []func() []Read
}

// Times returns how long compilers and linkers took, when wait has ended.
func (s *Set) Times() *times.Weights { return s.times }

// Output is a compiled program.
type Output struct {
	Path    string // absolute, in the store's scratch space
	Content layer.Content
}

// newOutput returns a program that the store keeps. Its reader compares it with the digest that
// it was kept with.
func newOutput(st *store.Store, path string, k store.Kept) Output {
	return Output{Path: path, Content: layer.Content{
		Digest: k.Digest, Size: k.Size, Open: func() (io.ReadCloser, error) { return st.OpenKept(k) },
	}}
}

// Start begins to compile programs and returns at once. wait ends when all have been compiled or
// have failed, and returns every failure.
func Start(ctx context.Context, st *store.Store, pr *progress.Printer, programs []Program) (set *Set, wait func() error) {
	set = &Set{done: map[string]chan struct{}{}, outputs: map[string]Output{}, err: map[string]error{}, times: times.New()}
	lanes := map[string][]*batch{}
	var order []string
	for _, b := range batches(programs) {
		for _, p := range b.programs {
			set.done[id(p.Name, p.Platform)] = make(chan struct{})
		}
		lane := system(b.programs[0].Platform)
		if lanes[lane] == nil {
			order = append(order, lane)
		}
		lanes[lane] = append(lanes[lane], b)
	}
	var g errgroup.Group
	g.SetLimit(2)
	var mu sync.Mutex
	var failures []error
	fail := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			failures = append(failures, err)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var recording sync.WaitGroup // images need not wait for it
		defer recording.Wait()
		for _, lane := range order {
			g.Go(func() error {
				for _, b := range lanes[lane] {
					record, err := set.build(ctx, st, pr, b)
					fail(err)
					if record != nil {
						recording.Go(func() { fail(record()) })
					}
				}
				return nil
			})
		}
		g.Wait() //nolint:errcheck // failures are collected by hand: every one is reported
	}()
	return set, func() error {
		<-ended
		return joinErrors(failures)
	}
}

// File returns the compiled program, when it is there. The digest of its content is known.
func (s *Set) File(ctx context.Context, name string, on platform.Platform) (Output, error) {
	i := id(name, on)
	done, ok := s.done[i]
	if !ok {
		return Output{}, fmt.Errorf("program %s is not built for %s", name, system(on))
	}
	select {
	case <-ctx.Done():
		return Output{}, ctx.Err()
	case <-done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs[i], s.err[i]
}

// ErrFailed marks a program that did not compile; the compiler's message is in the error that
// wait returns.
type ErrFailed struct{ Name, Platform string }

// Error names the program that is missing.
func (e ErrFailed) Error() string {
	return fmt.Sprintf("program %s for %s did not compile", e.Name, e.Platform)
}

// build compiles a batch. What record does is left to be done; nil is nothing.
func (s *Set) build(ctx context.Context, st *store.Store, pr *progress.Printer, b *batch) (record func() error, err error) {
	outputs, record, err := b.run(ctx, st, pr)
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.times != nil {
		s.times.Add(b.times)
	}
	if b.sources != nil {
		s.read = append(s.read, b.sources)
	}
	for n, p := range b.programs {
		i := id(p.Name, p.Platform)
		defer close(s.done[i])
		if err != nil {
			s.err[i] = ErrFailed{p.Name, system(p.Platform)}
			continue
		}
		s.outputs[i] = outputs[n]
	}
	return record, err
}

// arguments are the flags of the batch for go build and go list.
func (b *batch) arguments() []string {
	first := b.programs[0]
	args := []string{"-trimpath", "-buildvcs=false"}
	if first.Tree.Fixed {
		// Old go commands packed vendor/modules.txt into a module and nothing else of vendor/;
		// the go command would look for packages there.
		args = append(args, "-mod=readonly")
	}
	args = append(args, first.Flags...)
	if len(first.Ldflags) > 0 {
		args = append(args, "-ldflags="+strings.Join(first.Ldflags, " "))
	}
	return args
}

// packages are those of the programs, each once.
func (b *batch) packages() []string { return packages(b.programs) }

func packages(programs []Program) (all []string) {
	for _, p := range programs {
		if !slices.Contains(all, p.Package) {
			all = append(all, p.Package)
		}
	}
	return all
}

// compile runs go build for programs of the batch. The files in dir may be taken for current.
func (b *batch) compile(ctx context.Context, st *store.Store, pr *progress.Printer, dir string, programs []Program) error {
	first := b.programs[0]
	args := b.arguments()
	packages := packages(programs)
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	actions := b.newGraph(st, dir)
	defer actions.remove()
	cmd := b.command(ctx, st, slices.Concat([]string{"build", "-v"}, actions.flags(), args, []string{"-o", dir + string(filepath.Separator)}, packages)...)
	task := pr.Start(fmt.Sprintf("compiling %s for %s", strings.Join(names, ", "), system(first.Platform)), progress.Items, 0)
	out := &verbose{task: task}
	cmd.Stdout, cmd.Stderr = out, out
	counted, stop := context.WithCancel(ctx)
	var counting sync.WaitGroup
	if pr != nil {
		counting.Go(func() { b.count(counted, st, task, out, slices.Concat(args, packages)) })
	}
	defer counting.Wait() // a go command that outlives slipway leaves its directory behind
	defer stop()
	if err := cmd.Run(); err != nil {
		task.Fail()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("compiling %s for %s: %w\n%s", strings.Join(names, ", "), system(first.Platform), source.Said(err), out.rest())
	}
	if err := b.checkOutputs(dir, programs); err != nil {
		task.Fail()
		return err
	}
	b.times = actions.times(system(first.Platform))
	if n := out.packages(); n > 0 {
		task.Done("%d packages compiled", n)
	} else {
		task.Done("linked")
	}
	return nil
}

func (b *batch) command(ctx context.Context, st *store.Store, args ...string) *exec.Cmd {
	if b.box() != nil {
		return b.inside(ctx, st, args)
	}
	p := b.programs[0]
	cmd := p.Tree.Go(ctx, args...)
	cmd.Env = p.environ(cmd.Env, st)
	return cmd
}

// environ adds the variables of the program to those of its tree.
func (p Program) environ(env []string, st *store.Store) []string {
	// The go command renames what it has linked on the same file system. From another one it
	// would copy, and a copy that is interrupted is a program that only begins as one.
	return append(append(env, "GOTMPDIR="+st.Temp()), p.variables()...)
}

// variables are those that decide what the go command makes of the program.
func (p Program) variables() []string {
	env := append([]string{"CGO_ENABLED=0"}, p.Env...)
	env = append(env, "GOOS="+p.Platform.OS, "GOARCH="+p.Platform.Architecture)
	if v := p.Platform.GoVariant(); v != "" {
		env = append(env, v)
	}
	return env
}

// patience is how long a build may take before its packages are counted for the sake of progress.
// Counting takes the go command as long as finding out what to compile does, so that a build after
// a small change should be at its end by then.
const patience = 5 * time.Second

// count asks the go command how many packages are still to be compiled. A build that is current
// has ended before it asks.
func (b *batch) count(ctx context.Context, st *store.Store, task *progress.Task, out *verbose, args []string) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(patience):
	}
	before := out.packages()
	list, err := b.command(ctx, st, slices.Concat([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, args)...).Output()
	if err != nil {
		return
	}
	left := int64(bytes.Count(list, []byte("\n")))
	task.Total(before + left)
	if left == 0 {
		task.Note("linking")
	}
}

func id(name string, on platform.Platform) string { return name + " " + system(on) }

// system is what a program is compiled for.
func system(p platform.Platform) string { return p.System().String() }
