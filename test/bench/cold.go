package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/product"
)

// cold compares a release in a fresh clone with the plain go commands that compile the
// same programs and slipway itself, one after the other. Both start with an empty build
// cache and a warm module cache.
func (b *bench) cold(ctx context.Context) (comparison, error) {
	plain, err := b.plain(ctx)
	if err != nil {
		return comparison{}, err
	}
	theirs, err := measure(ctx, "go build of the same programs", plain...)
	if err != nil {
		return comparison{}, err
	}
	clone := filepath.Join(b.tmp, "clone")
	if _, err := measure(ctx, "", []string{"git", "clone", "-q", ".", clone}); err != nil {
		return comparison{}, err
	}
	ours, err := measure(ctx, "go tool mage release, in a fresh clone",
		[]string{
			"env", "-C", clone, "GOCACHE=" + filepath.Join(b.tmp, "cache-ours"), "go", "tool",
			"mage", "release", "-q",
		})
	return comparison{title: "A release with nothing compiled yet", ours: ours, other: []figure{theirs}}, err
}

// plain lists the go commands that a maintainer would write for the
// programs in kpack's slipway.yaml.
func (b *bench) plain(ctx context.Context) ([][]string, error) {
	p, err := product.Load(ctx, product.Options{Path: b.product})
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	command := func(dir, goos string, packages ...string) []string {
		out := filepath.Join(b.tmp, "plain", filepath.Base(dir), goos) + string(filepath.Separator)
		return append([]string{
			"env", "-C", dir, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOARCH=amd64", "GOOS=" + goos,
			"GOCACHE=" + filepath.Join(b.tmp, "cache-plain"),
			"go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out,
		}, packages...)
	}
	commands := [][]string{command(here, "linux", "./cmd/slipway")}
	trees, err := assemble.Sources(ctx, p)
	if err != nil {
		return nil, err
	}
	programs, err := assemble.Programs(p, trees)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Sources {
		for _, goos := range []string{"linux", "windows"} {
			var packages []string
			for _, prog := range programs {
				if prog.Tree.Source.Name == s.Name && prog.Platform.OS == goos {
					packages = append(packages, prog.Package)
				}
			}
			if len(packages) == 0 {
				return nil, fmt.Errorf("source %s has no program for %s", s.Name, goos)
			}
			commands = append(commands, command(trees[s.Name].Dir, goos, packages...))
		}
	}
	return commands, nil
}
