//go:build mage

package main

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/target"
)

// Cluster applies the release to a real control plane with a Linux and a Windows node and checks
// the result, as root. The first run builds Kubernetes into the user's cache, which takes ten
// minutes on two cores.
func Cluster(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	if err := target.Run(ctx, "release"); err != nil {
		return err
	}
	if err := controlPlane(ctx); err != nil {
		return err
	}
	env, err := environment(os.Getenv("SLIPWAY_WITHOUT"))
	if err != nil {
		return err
	}
	cmd := command(ctx, "test/cluster", "go", "test", "-count=1", "-v", "-timeout=30m", "./...")
	cmd.Env = append(os.Environ(), env...)
	return start(cmd)
}

// controlPlane builds the programs that the tests in test/cluster start, so that building
// does not count toward the tests' timeout.
func controlPlane(ctx context.Context) error {
	return do(ctx, "test/cluster/controlplane", "go", "run", ".")
}
