package mutants

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Run looks for the mutant of a number, or for all that were not looked for so long, each for so
// long at most, as many at a time as there are processors. Each result is written, so that an
// interrupted run continues.
func Run(ctx context.Context, root string, number *int, long string) error {
	most, err := time.ParseDuration(long)
	if err != nil {
		return fmt.Errorf("-time %q: give a number and a unit, as in 10m", long)
	}
	all, err := Results(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	hunt, err := NewHunt(ctx, root, dir)
	if err != nil {
		return err
	}
	var mu sync.Mutex // guards all
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for n, m := range All {
		if number != nil && *number != n+1 || number == nil && all[m.Name].enough(most) {
			continue
		}
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r, err := hunt.Find(ctx, m, most)
			if err != nil {
				return fmt.Errorf("mutant %s: %w", m.Name, err)
			}
			fmt.Printf("%3d %-24s %4d s  %s\n", n+1, r.Mutant, r.Seconds, r.Law)
			mu.Lock()
			defer mu.Unlock()
			all[m.Name] = r
			return Write(root, all)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return Write(root, all)
}

// enough reports whether a mutant was found, or looked for so long.
func (r Result) enough(most time.Duration) bool {
	return r.Law != "" || time.Duration(r.Seconds)*time.Second >= most
}
