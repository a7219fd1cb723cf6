//go:build mage

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/target"
)

// Test brings in what the tests run against (apt, as root on Debian or Ubuntu), cuts kpack into
// dist/ and runs every test.
func Test(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	without, err := consumer.SetUp(ctx)
	if err != nil {
		return err
	}
	if err := target.Release(ctx, nil, nil, nil, nil, nil, nil); err != nil {
		return err
	}
	env, err := environment(strings.Join(without, ","))
	if err != nil {
		return err
	}
	dirs, err := modules()
	if err != nil {
		return err
	}
	var errs []error
	if !slices.Contains(without, "cluster") {
		errs = append(errs, controlPlane(ctx))
	}
	errs = append(errs, consumer.BuildAll(ctx, without))
	for _, dir := range dirs {
		if dir == "." {
			// Without the race detector, under which the first take smaller layers and the others
			// look at processes, not at goroutines.
			cmd := command(ctx, dir, "go", "test", "-count=1", "-timeout=30m", "-run=Memory|^TestInterrupt$|^TestTorture$",
				"./airgap", "./build/layer", "./cmd/slipway", "./test/torture")
			cmd.Env = append(os.Environ(), env...)
			errs = append(errs, start(cmd))
		}
		// -timeout: on a busy machine the race detector needs more than the ten minutes that go
		// test gives by itself. -count=1: a cached result does not see that the release, which
		// lies outside the nested modules, is another one.
		args := []string{"go", "test", "-count=1", "-timeout=30m"}
		if dir == "." && !slices.Contains(without, "gcc") {
			args = append(args, "-race")
		}
		if dir == "." {
			// the longest of them, which have run above
			args = append(args, "-skip=^(TestMemoryAttacks|TestInterrupt|TestTorture)$")
		}
		args = append(args, "./...")
		cmd := command(ctx, dir, args...)
		cmd.Env = append(os.Environ(), env...)
		errs = append(errs, start(cmd))
	}
	return errors.Join(errs...)
}

// isolate takes away what the user's environment says of releases: one that is cut for tests is a
// snapshot, never published to the registry that the user works with, and dated by its sources.
func isolate() error {
	return errors.Join(os.Unsetenv("SLIPWAY_REGISTRY"), os.Unsetenv("SOURCE_DATE_EPOCH"))
}

// Ci is what a change must pass: check, then test.
func Ci(ctx context.Context) error {
	return errors.Join(Check(ctx), Test(ctx))
}

// environment says to the tests where the release is and what they have to do without.
func environment(without string) ([]string, error) {
	dist, err := filepath.Abs("dist")
	if err != nil {
		return nil, err
	}
	store, err := filepath.Abs(".slipway")
	if err != nil {
		return nil, fmt.Errorf("finding the store: %w", err)
	}
	return []string{"SLIPWAY_DIST=" + dist, "SLIPWAY_STORE=" + store, "SLIPWAY_WITHOUT=" + without}, nil
}
