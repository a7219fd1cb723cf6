//go:build mage

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// Linters runs the linters on this repository: format, vet, types on other systems, workflows,
// modules.
// `slipway check` and `slipway lint` are for releases.
func Linters(ctx context.Context) error {
	// What linters let the go command compile, tests take from its build cache.
	flags := os.Getenv("GOFLAGS")
	if err := os.Setenv("GOFLAGS", strings.TrimSpace(flags+" -trimpath")); err != nil {
		return err
	}
	defer os.Setenv("GOFLAGS", flags) //nolint:errcheck // it was set before
	lint, err := golangci.install(ctx)
	if err != nil {
		return err
	}
	workflows, err := actionlint.install(ctx)
	if err != nil {
		return err
	}
	errs := []error{
		// includes all of go vet
		do(ctx, ".", lint, "run", "--allow-parallel-runners", "--build-tags=mage", "./magefiles"),
		do(ctx, ".", workflows),
		do(ctx, ".", "bash", "-n", ".ci/run"),
	}
	dirs, err := modules()
	if err != nil {
		return err
	}
	errs = append(errs, verify(ctx, dirs))
	module := func(dir string) error {
		return errors.Join(
			do(ctx, dir, lint, "run", "--allow-parallel-runners", "./..."),
			tidy(ctx, dir))
	}
	var g errgroup.Group
	g.Go(func() error {
		errs := []error{module(kpack)}
		for goos, pattern := range systems {
			errs = append(errs, typeCheck(ctx, goos, pattern))
		}
		return errors.Join(errs...)
	})
	for _, dir := range dirs {
		if dir != kpack {
			errs = append(errs, module(dir))
		}
	}
	return errors.Join(append(errs, g.Wait())...)
}

// kpack is the module that imports its own versions of a thousand packages. Its linters share no
// work with those of other modules, and run at the same time, since one processor checks types.
const kpack = "test/kpack"

// tidy checks that a module's go.mod and go.sum are what go mod tidy makes of them, with the
// overlay that its programs are built with.
func tidy(ctx context.Context, dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "overlay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	overlay, err := cache.Module{Dir: full}.Overlay(ctx, tmp)
	if err != nil {
		return err
	}
	return do(ctx, dir, "go", "mod", "tidy", "-diff", "-overlay="+overlay)
}
