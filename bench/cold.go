package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/product"
)

// cold cuts the release in a fresh clone with an empty build cache, against the bare go commands
// that compile the same programs and slipway itself, one after the other, with an empty build
// cache too. The module cache is warm for both.
func (b *bench) cold(ctx context.Context) (comparison, error) {
	bare, err := b.bare(ctx)
	if err != nil {
		return comparison{}, err
	}
	theirs, err := measure(ctx, "go build of the same programs", bare...)
	if err != nil {
		return comparison{}, err
	}
	clone := filepath.Join(b.tmp, "clone")
	if _, err := measure(ctx, "", []string{"git", "clone", "-q", ".", clone}); err != nil {
		return comparison{}, err
	}
	ours, err := measure(ctx, "go tool mage release, in a fresh clone",
		[]string{"env", "-C", clone, "GOCACHE=" + filepath.Join(b.tmp, "cache-ours"), "go", "tool", "mage", "release", "-q"})
	return comparison{title: "A release with nothing compiled yet", ours: ours, other: []figure{theirs}}, err
}

// bare lists the go commands that a maintainer would write for what kpack's slipway.yaml declares.
func (b *bench) bare(ctx context.Context) ([][]string, error) {
	p, err := product.Load(product.Options{Path: b.product})
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	command := func(dir, goos string, packages ...string) []string {
		out := filepath.Join(b.tmp, "bare", filepath.Base(dir), goos) + string(filepath.Separator)
		return append([]string{
			"env", "-C", dir, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOARCH=amd64", "GOOS=" + goos, "GOCACHE=" + filepath.Join(b.tmp, "cache-bare"),
			"go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out,
		}, packages...)
	}
	commands := [][]string{command(here, "linux", "./cmd/slipway")}
	for _, s := range p.Sources {
		tree, err := source.Fetch(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, goos := range []string{"linux", "windows"} {
			packages := programs(p, s.Name, goos)
			if len(packages) == 0 {
				return nil, fmt.Errorf("source %s has no program for %s", s.Name, goos)
			}
			commands = append(commands, command(tree.Dir, goos, packages...))
		}
	}
	return commands, nil
}

// programs names the packages of a source that the release compiles for an operating system.
func programs(p *product.Product, source, goos string) []string {
	wanted := map[string]bool{}
	var packages []string
	for _, i := range p.Images {
		if i.Lifecycle != nil && i.Lifecycle.Source == source {
			return []string{"./cmd/lifecycle", "./cmd/launcher"}
		}
		var names []string
		if i.Go != nil {
			names = []string{i.Go.Program}
		} else if i.Dockerfile != nil {
			names = i.Dockerfile.Programs
		}
		for _, on := range i.Platforms {
			for _, n := range names {
				wanted[n] = wanted[n] || on.OS == goos
			}
		}
	}
	for _, prog := range p.Programs {
		here := len(prog.Systems) == 0 || slices.Contains(prog.Systems, goos)
		if prog.Source == source && wanted[prog.Name] && here {
			packages = append(packages, prog.Package)
		}
	}
	return packages
}
