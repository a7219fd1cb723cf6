//go:build mage

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// The linters at the versions that pass on the code, and the tools that the benchmark
// compares slipway with.
var (
	golangci   = tool{"golangci-lint", "github.com/golangci/golangci-lint/v2/cmd/golangci-lint", "v2.15.0"}
	actionlint = tool{"actionlint", "github.com/rhysd/actionlint/cmd/actionlint", "v1.7.12"}
	crane      = tool{"crane", "github.com/google/go-containerregistry/cmd/crane", "v0.22.1"}
	regctl     = tool{"regctl", "github.com/regclient/regclient/cmd/regctl", "v0.11.7"}
	ko         = tool{"ko", "github.com/google/ko", "v0.19.1"}
)

// tool is a program that the go command can install.
type tool struct{ name, pkg, version string }

// install installs the tool in a directory of the user's cache for its version, and returns its
// path.
func (t tool) install(ctx context.Context) (string, error) {
	return cache.Program(ctx, filepath.Join("tools", t.name+"-"+t.version),
		t.name, func(ctx context.Context, dir string) error {
			cmd := command(ctx, ".", "go", "install", "-trimpath", "-ldflags=-s -w", t.pkg+"@"+t.version)
			cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOOS=", "GOARCH=")
			if err := start(cmd); err != nil {
				return fmt.Errorf("installing %s: %w", t.name, err)
			}
			return nil
		})
}
