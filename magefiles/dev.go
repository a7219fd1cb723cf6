//go:build mage

package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/target"
)

// Golden updates the golden files. Read the difference before you commit it.
func Golden(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	found, err := testsWith(`flag\.Bool\("(update)"`)
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		cmd := command(ctx, dir, "go", "test", ".", "-update")
		cmd.Env = append(os.Environ(), every)
		errs = append(errs, start(cmd))
	}
	return errors.Join(errs...)
}

// Docs makes a site of docs/ in site/, and fails if a link leads nowhere.
func Docs(ctx context.Context) error {
	return do(ctx, "docs/website", "go", "run", ".", "../..", "../../site")
}

// Fuzz runs every fuzz target for a while, with a limit for minimizing new inputs: by default that
// takes up to a minute each, in which the target finds nothing.
func Fuzz(
	ctx context.Context,
	time *string, // how long each target runs (20s)
) error {
	long := "20s"
	if time != nil {
		long = *time
	}
	found, err := testsWith(`(?m)^func (Fuzz\w+)\(`)
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		for _, name := range found[dir] {
			errs = append(errs, do(ctx, dir, "go", "test", ".", "-run=^$", "-fuzz=^"+name+"$", "-fuzztime="+long,
				"-fuzzminimizetime=10x"))
		}
	}
	return errors.Join(errs...)
}

// Bench compares releases, publishing, and the packing, reading and pushing of bundles with other
// programs, and prints ratios. The results replace those of the same parts in
// docs/results/benchmarks.json; docs/results/benchmarks.md and its plots are made of that.
func Bench(
	ctx context.Context,
	// what to compare: cold (20 minutes); warm, inner-hello, inner-kpack, publish, destinations,
	// promote, recipe, push, again, absent, lookup, read, curve, compress, unpack (all but cold);
	// packages (of Debian); evidence, verify, evidence-cold (what a key costs), reproduce;
	// cacheprog and shards (of hello; go run ./test/bench -h tells how of kpack)
	parts *string,
	plot *bool, // measure nothing: make the page and the plots from docs/results/benchmarks.json
) error {
	if err := isolate(); err != nil {
		return err
	}
	args := []string{"go", "run", "./test/bench", "-results=docs/results/benchmarks.json"}
	if plot != nil && *plot {
		return do(ctx, ".", append(args, "-plot")...)
	}
	if _, err := consumer.SetUp(ctx); err != nil {
		return err
	}
	if err := target.Run(ctx, "release"); err != nil {
		return err
	}
	for _, t := range []tool{crane, regctl, ko} {
		path, err := t.install(ctx)
		if err != nil {
			return err
		}
		args = append(args, "-"+t.name+"="+path)
	}
	if parts != nil {
		args = append(args, "-parts="+*parts)
	}
	return do(ctx, ".", args...)
}
