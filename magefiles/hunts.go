//go:build mage

package main

import (
	"context"
	"os"
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
	args := []string{"-time=" + or(time, "30m"), "-seed=" + or(seed, "1"), "-page=../../docs/results/explore.md"}
	if counts != nil {
		path, err := filepath.Abs(*counts)
		if err != nil {
			return err
		}
		args = append(args, "-counts="+path)
	}
	return hunt(ctx, ".", "./test/explore", "TestExplore", args...)
}

// Torture injects faults into slipway for a while and writes the table in docs/results/torture.md,
// which describes them.
func Torture(
	ctx context.Context,
	time *string, // how long (30m)
	seed *string, // seed of the random choices (1)
	// only the cases whose names match this expression; docs/results/torture.md is not written
	cases *string,
) error {
	args := []string{"-time=" + or(time, "30m"), "-page=../../docs/results/torture.md"}
	if seed != nil {
		args = append(args, "-seed="+*seed)
	}
	if cases != nil {
		args[1] = "-case=" + *cases
	}
	return hunt(ctx, ".", "./test/torture", "TestTorture", args...)
}

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
	only := "-update"
	if cases != nil {
		only = "-case=" + *cases
	}
	return hunt(ctx, "test/consumers", "./forge", "TestForge", "-time="+or(time, "30m"), "-seed="+or(seed, "1"), only)
}

// Draw draws lines for RUN, and compares the result of slipway for each with that of dash, and for
// some of them with that of BuildKit.
func Draw(
	ctx context.Context,
	lines *string, // how many that slipway carries out (10000)
	built *string, // how many of these BuildKit builds (500)
	seed *string, // seed of the lines (1)
) error {
	return hunt(ctx, "test/buildkit", ".", "TestDrawn",
		"-lines="+or(lines, "10000"), "-built="+or(built, "500"), "-seed="+or(seed, "1"))
}

// hunt runs a test of a package without a limit of time.
func hunt(ctx context.Context, dir, pkg, test string, args ...string) error {
	if err := isolate(); err != nil {
		return err
	}
	cmd := command(ctx, dir, append(
		[]string{"go", "test", pkg, "-run=^" + test + "$", "-count=1", "-v", "-timeout=0"}, args...)...)
	cmd.Env = append(os.Environ(), every)
	return start(cmd)
}

// or returns the value of a flag, or else its default.
func or(flag *string, value string) string {
	if flag != nil {
		return *flag
	}
	return value
}
