//go:build mage

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// machines are the platforms on which operators work.
var machines = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// Binaries builds Slipway's own release into bin/: one static program per platform.
func Binaries(
	ctx context.Context,
	version string, // the version that `slipway version` prints
) error {
	var errs []error
	for _, m := range machines {
		goos, goarch, _ := strings.Cut(m, "/")
		file := filepath.Join("bin", "slipway-"+goos+"-"+goarch)
		if goos == "windows" {
			file += ".exe"
		}
		cmd := command(ctx, ".", "go", "build", "-trimpath", "-ldflags=-s -w -X main.version="+version, "-o", file, "./cmd/slipway")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		errs = append(errs, start(cmd))
	}
	return errors.Join(errs...)
}
