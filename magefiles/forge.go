//go:build mage

package main

import "context"

// Forge forges a release in every way, gives all forgeries to all consumers, and then combines them
// at random for a while. The tables go to docs/results/forgeries.md.
func Forge(
	ctx context.Context,
	time *string, // how long (30m)
	seed *string, // seed of the random combinations (1)
	// only the forgeries whose FAMILY/NAME matches this expression; docs/results/forgeries.md is
	// not written
	cases *string,
) error {
	if err := isolate(); err != nil {
		return err
	}
	long, first := "30m", "1"
	if time != nil {
		long = *time
	}
	if seed != nil {
		first = *seed
	}
	args := []string{
		"go", "test", "./forge", "-run=^TestForge$", "-count=1", "-v", "-timeout=0",
		"-time=" + long, "-seed=" + first,
	}
	if cases != nil {
		args = append(args, "-case="+*cases)
	} else {
		args = append(args, "-update")
	}
	return do(ctx, "test/consumers", args...)
}
