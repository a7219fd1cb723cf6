//go:build mage

package main

import "context"

// Torture injects faults into slipway for a while and writes the table in docs/results/torture.md,
// which describes them.
func Torture(
	ctx context.Context,
	time *string, // how long (30m)
	seed *string, // seed of the random choices (1)
	// only the cases whose names match this expression; docs/results/torture.md is not written
	cases *string,
) error {
	if err := isolate(); err != nil {
		return err
	}
	long := "30m"
	if time != nil {
		long = *time
	}
	args := []string{
		"go", "test", "./test/torture", "-run=^TestTorture$", "-count=1", "-v", "-timeout=0",
		"-time=" + long,
	}
	if seed != nil {
		args = append(args, "-seed="+*seed)
	}
	if cases != nil {
		args = append(args, "-case="+*cases)
	} else {
		args = append(args, "-page=../../docs/results/torture.md")
	}
	return do(ctx, ".", args...)
}
