package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// make compiles programs of the batch. The store remembers them under key, if that is not "". What
// the go command did is in actions, which is to be removed.
func (b *batch) make(
	ctx context.Context, pr *progress.Printer, key string, programs []member,
) (made []Output, actions graph, err error) {
	before, err := b.clear(programs)
	if err != nil {
		return nil, actions, err
	}
	actions = b.newGraph()
	if err := b.compile(ctx, pr, programs, actions); err != nil {
		return nil, actions, err
	}
	damaged, err := b.damaged(ctx, programs, before)
	if err != nil {
		return nil, actions, err
	}
	if len(damaged) > 0 {
		if err := b.compile(ctx, pr, damaged, graph{}); err != nil {
			return nil, actions, err
		}
	}
	made, err = b.keep(ctx, key, programs)
	return made, actions, err
}

// clear removes the files that the go command must not take for current when it compiles programs:
// those that the store did not keep, and all of a fixed source, since they were compiled from
// something else. The other programs of the batch stay. Unknown files are the go command's, of a
// run that was killed. left has those of the programs that stay, by path.
func (b *batch) clear(programs []member) (left map[string]fs.FileInfo, err error) {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil, fmt.Errorf("reading programs of an earlier build: %w", err)
	}
	left = map[string]fs.FileInfo{}
	for _, e := range entries {
		path := filepath.Join(b.dir, e.Name())
		switch {
		case makes(b.programs, path) && !makes(programs, path):
			continue
		case !b.programs[0].Tree.Fixed && makes(programs, path):
			if _, ok := b.store.Kept(path); ok {
				if left[path], err = e.Info(); err != nil {
					return nil, err
				}
				continue
			}
		}
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("removing a program of an earlier build: %w", err)
		}
	}
	return left, nil
}

// damaged removes and returns those of the programs that the go command has taken for current, and
// that do not have the bytes which were kept. What it links is another file than that of before.
func (b *batch) damaged(
	ctx context.Context, programs []member, before map[string]fs.FileInfo,
) (all []member, err error) {
	for _, p := range programs {
		was, ok := before[p.path]
		if !ok {
			continue
		}
		now, err := os.Lstat(p.path)
		if err != nil {
			return nil, err
		}
		if !os.SameFile(was, now) {
			continue
		}
		sound, err := b.store.ProveKept(ctx, p.path)
		if err != nil {
			return nil, err
		}
		if sound {
			continue
		}
		if err := os.Remove(p.path); err != nil {
			return nil, fmt.Errorf("removing a program of an earlier build: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// makes reports whether one of the programs is compiled into a file.
func makes(programs []member, path string) bool {
	return slices.ContainsFunc(programs, func(p member) bool { return p.path == path })
}

// compile runs go build for programs of the batch. The files in its directory may be taken for
// current.
func (b *batch) compile(ctx context.Context, pr *progress.Printer, programs []member, actions graph) error {
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	what := fmt.Sprintf("compiling %s for %s", strings.Join(names, ", "), b.system)
	args := slices.Concat(b.flags, []string{"-o", b.dir + string(filepath.Separator)}, packages(programs))
	cmd := b.command(ctx, slices.Concat([]string{"build", "-v"}, actions.flags(), args)...)
	task := pr.Start(what, progress.Items, 0)
	out := &verbose{task: task}
	cmd.Stdout, cmd.Stderr = out, out
	counted, stop := context.WithCancel(ctx)
	var counting sync.WaitGroup
	if pr != nil {
		counting.Go(func() { b.count(counted, task, out, programs) })
	}
	defer counting.Wait() // a go command that outlives slipway leaves its directory behind
	defer stop()
	if err := cmd.Run(); err != nil {
		task.Fail()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w\n%s", what, source.Explain(err), out.rest())
	}
	if err := checkOutputs(programs); err != nil {
		task.Fail()
		return err
	}
	if n := out.packages(); n > 0 {
		task.Done("%d packages compiled", n)
	} else {
		task.Done("linked")
	}
	return nil
}

// patience is how long a build may take before its packages are counted for the sake of progress.
// Counting takes the go command as long as finding out what to compile does, so that a build after
// a small change should be at its end by then.
const patience = 5 * time.Second

// count asks the go command how many packages are still to be compiled. A build that is current
// has ended before it asks.
func (b *batch) count(ctx context.Context, task *progress.Task, out *verbose, programs []member) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(patience):
	}
	before := out.packages()
	const stale = "{{if .Stale}}{{.ImportPath}}{{end}}"
	args := slices.Concat([]string{"list", "-deps", "-f", stale}, b.flags, packages(programs))
	list, err := b.command(ctx, args...).Output()
	if err != nil {
		return
	}
	left := int64(bytes.Count(list, []byte("\n")))
	task.Total(before + left)
	if left == 0 {
		task.Note("linking")
	}
}

// checkOutputs checks that programs are files. A link, which a program in the sandbox can
// make, could lead to a file of the user, whose bytes would then be in an image.
func checkOutputs(programs []member) error {
	for _, p := range programs {
		fi, err := os.Lstat(p.path)
		if err != nil {
			return err
		}
		if !fi.Mode().IsRegular() {
			return fmt.Errorf("program %s: the compiler made %s instead of a program: do not trust the release", p.Name,
				regular.Kind(fi.Mode()))
		}
	}
	return nil
}

// keep records the digests of the programs that were compiled.
func (b *batch) keep(ctx context.Context, key string, programs []member) (all []Output, err error) {
	var digests []v1.Hash
	for _, p := range programs {
		k, err := b.store.Keep(ctx, p.path)
		if err != nil {
			return nil, err
		}
		all, digests = append(all, newOutput(b.store, k)), append(digests, k.Digest)
	}
	if key != "" {
		err = b.store.Record(kindBatch, key, digests)
	}
	return all, err
}

// graph is a file to which the go command writes how long each of its actions took: its flag
// -debug-actiongraph, which is not documented.
type graph struct{ dir string }

// newGraph makes a directory for the file. Without one, no times are known.
func (b *batch) newGraph() graph {
	in := b.store.Temp()
	if b.programs[0].Tree.Source.Sandbox.On() {
		in = b.temp
	}
	made, _ := disk.Temp(in)
	return graph{made}
}

// flags are those of go build.
func (g graph) flags() []string {
	if g.dir == "" {
		return nil
	}
	return []string{"-debug-actiongraph=" + g.file()}
}

func (g graph) file() string { return filepath.Join(g.dir, "actions.json") }

func (g graph) remove() {
	if g.dir != "" {
		os.RemoveAll(g.dir) // the store sweeps the rest
	}
}

// times returns the processor time of compilers and linkers for a system. Current packages took no
// time and are missing, as is everything if the go command did not write the file.
func (g graph) times(system string) *times.Weights {
	w := times.New()
	f, err := regular.Open(g.file())
	if err != nil {
		return w
	}
	defer f.Close()
	d := json.NewDecoder(f)
	if _, err := d.Token(); err != nil {
		return w
	}
	for d.More() {
		var a struct {
			Mode, Package   string
			CmdUser, CmdSys float64 // nanoseconds
		}
		if d.Decode(&a) != nil {
			return times.New()
		}
		seconds := (a.CmdUser + a.CmdSys) / 1e9
		switch {
		case seconds == 0:
		case a.Mode == "build":
			w.Took(times.Item{System: system, Path: a.Package, Kind: times.Package}, seconds)
		case a.Mode == "link":
			w.Took(times.Item{System: system, Path: a.Package, Kind: times.Program}, seconds)
		}
	}
	return w
}
