package mutants

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Run looks for the mutant of a number, or for all that were not looked for, each for so long at
// most. It writes each result, so that a run that was interrupted goes on.
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
	var hunt *Hunt
	for n, m := range All {
		if _, tried := all[m.Name]; number == nil && tried || number != nil && *number != n+1 {
			continue
		}
		if hunt == nil {
			if hunt, err = NewHunt(ctx, root, dir); err != nil {
				return err
			}
		}
		r, err := hunt.Find(ctx, m, most)
		if err != nil {
			return fmt.Errorf("mutant %s: %w", m.Name, err)
		}
		fmt.Printf("%3d %-24s %4d s  %s\n", n+1, r.Mutant, r.Seconds, r.Law)
		all[m.Name] = r
		if err := Write(root, all); err != nil {
			return err
		}
	}
	return Write(root, all)
}
