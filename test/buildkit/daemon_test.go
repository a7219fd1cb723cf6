//go:build linux

package buildkit

import (
	"os/exec"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// daemon runs buildkitd until the test ends and returns a function that runs buildctl against it.
func daemon(t *testing.T) (buildctl func(args ...string) (string, error)) {
	t.Helper()
	addr, client := testprog.Buildkitd(t), testprog.Built(t, "buildkit", "buildctl")
	return func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), client, append([]string{"--addr", addr}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
