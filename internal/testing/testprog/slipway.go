package testprog

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const modulePath = "github.com/slipway-dev/slipway"

// Slipway returns the path of the slipway command of this checkout. The command is compiled into
// dir as it is released, unless SLIPWAY_COMMAND names it: a run of all suites compiles it once.
func Slipway(ctx context.Context, dir string) (string, error) {
	if path := os.Getenv("SLIPWAY_COMMAND"); path != "" {
		return path, nil
	}
	find := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath) // a suite is a module of its own
	root, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("finding the module of slipway: %w", err)
	}
	path := filepath.Join(dir, "slipway")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
		"-o", path, modulePath+"/cmd/slipway")
	build.Dir, build.Env = strings.TrimSpace(string(root)), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building slipway: %w\n%s", err, out)
	}
	return path, nil
}
