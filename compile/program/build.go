package program

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Set is a set of programs that are being compiled. [Set.File] waits for one.
type Set struct {
	programs map[string]*pending // by id
	mu       sync.Mutex
	failures []error
	times    *times.Weights
	read     []read // of the batches that have ended
}

// pending is a program. Its fields are read when done is closed.
type pending struct {
	done   chan struct{}
	output Output
	err    error
}

// Times returns how long compilers and linkers took, when wait has ended.
func (s *Set) Times() *times.Weights { return s.times }

// Output is a compiled program.
type Output struct {
	Path    string // absolute, in the store's scratch space
	Content layer.Content
}

// Start begins to compile programs and returns at once. wait ends when all have been compiled or
// have failed, and returns every failure.
func Start(ctx context.Context, st *store.Store,
	pr *progress.Printer, programs []Program,
) (set *Set, wait func() error) {
	set = &Set{programs: map[string]*pending{}, times: times.New()}
	var lanes [][]*batch
	for _, b := range batches(st, programs) {
		for _, p := range b.programs {
			set.programs[id(p.Name, p.Platform)] = &pending{done: make(chan struct{})}
		}
		at := slices.IndexFunc(lanes, func(lane []*batch) bool { return lane[0].system == b.system })
		if at < 0 {
			at, lanes = len(lanes), append(lanes, nil)
		}
		lanes[at] = append(lanes[at], b)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var g errgroup.Group
		g.SetLimit(2)
		var recording sync.WaitGroup // images need not wait for it
		for _, lane := range lanes {
			g.Go(func() error {
				for _, b := range lane {
					if record := set.build(ctx, pr, b); record != nil {
						recording.Go(func() { set.end(record()) })
					}
				}
				return nil
			})
		}
		g.Wait() //nolint:errcheck // failures are collected by hand: every one is reported
		recording.Wait()
	}()
	return set, func() error {
		<-ended
		// which batch ended first does not matter
		slices.SortFunc(set.failures, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return errors.Join(set.failures...)
	}
}

// File returns the compiled program, when it is there. The digest of its content is known.
func (s *Set) File(ctx context.Context, name string, on platform.Platform) (Output, error) {
	p, ok := s.programs[id(name, on)]
	if !ok {
		return Output{}, fmt.Errorf("program %s is not built for %s", name, on.System())
	}
	select {
	case <-ctx.Done():
		return Output{}, ctx.Err()
	case <-p.done:
		return p.output, p.err
	}
}

// ErrFailed marks a program that did not compile; the compiler's message is in the error that
// wait returns.
type ErrFailed struct{ Name, Platform string }

// Error names the program that is missing.
func (e ErrFailed) Error() string {
	return fmt.Sprintf("program %s for %s did not compile", e.Name, e.Platform)
}

func id(name string, on platform.Platform) string { return name + " " + on.System().String() }

// Copy copies a file, such as a compiled program, to path with the permission bits mode. The copy
// appears under its name only when it is complete and has the bytes of its digest. The caller has
// locked its directory.
func Copy(c layer.Content, path string, mode fs.FileMode) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Abort()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), r); err != nil {
		return err
	}
	if got := oci.Sum(h); got != c.Digest {
		return fmt.Errorf("it has digest %s, not %s: run again, and do not change files while they are read",
			got, c.Digest)
	}
	return f.Commit(path, mode)
}
