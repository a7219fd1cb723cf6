//go:build mage

package main

import (
	"context"
	"path/filepath"
)

// Explore draws products and walks through the commands for a while, checks what must hold for
// every one of them, and writes the tables in docs/results/explore.md, which describes them.
func Explore(
	ctx context.Context,
	time *string, // how long (30m)
	seed *string, // seed of the first walks (1)
	counts *string, // a file to which counts are added; the tables are of all runs with it
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
		"go", "test", "./test/explore", "-run=^TestExplore$", "-count=1", "-v", "-timeout=0",
		"-time=" + long, "-seed=" + first, "-page=../../docs/results/explore.md",
	}
	if counts != nil {
		path, err := filepath.Abs(*counts)
		if err != nil {
			return err
		}
		args = append(args, "-counts="+path)
	}
	return do(ctx, ".", args...)
}
