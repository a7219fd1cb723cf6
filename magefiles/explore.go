//go:build mage

package main

import "context"

// Explore draws products and walks through the commands for a while, and checks what must hold for
// every one of them.
func Explore(
	ctx context.Context,
	time *string, // how long (30m)
	seed *string, // seed of the first walks (1)
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
	return do(ctx, ".", "go", "test", "./test/explore", "-run=^TestExplore$", "-count=1", "-v", "-timeout=0", "-time="+long, "-seed="+first)
}
