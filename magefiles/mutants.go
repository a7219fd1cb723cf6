//go:build mage

package main

import (
	"context"

	"github.com/slipway-dev/slipway/test/explore/mutants"
)

// Mutants removes fixes of faults from slipway, one at a time, checks whether walks find the fault,
// and writes docs/results/explore-mutants.md. A second run continues the first.
func Mutants(
	ctx context.Context,
	mutant *int, // number of the only one to try; 0 tries none (all that were not tried)
	time *string, // how long to look for one (10m)
) error {
	if err := isolate(); err != nil {
		return err
	}
	return mutants.Run(ctx, ".", mutant, or(time, "10m"))
}
