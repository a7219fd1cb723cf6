//go:build mage

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// concurrency matches code that starts goroutines, serves requests, shares what goroutines use, or
// gives internal/transfer functions, which that calls from its goroutines.
var concurrency = regexp.MustCompile(`(?m)^\s*go [a-zA-Z]|\berrgroup\b|\bsync\.|"sync/atomic"|\.Go\(|\.Parallel\(|\bAfterFunc\(|\bhttptest\.|slipway/internal/transfer"`)

// uninstrumented leaves the compressors as they are where the race detector is on. Their loops over
// bytes took half of all the time of tests with it (ADR 184).
const uninstrumented = "-gcflags=github.com/klauspost/compress/...=-race=false -d=checkptr=0"

// isConcurrent reports whether the race detector can find races in a package that the tests of no
// other package show: it, or its tests, have goroutines. Where neither does, a race is one between
// the goroutines of another package, which that one's tests run with the race detector. A test
// binary with it takes twice the time to link, and the tests of half the packages do not need it.
func isConcurrent(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if concurrency.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

// packageDirs lists the directories of the packages that patterns match: ./build/base.
func packageDirs(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing %v: %w", patterns, err)
	}
	var dirs []string
	for _, p := range strings.Fields(string(out)) {
		dirs = append(dirs, "./"+strings.TrimPrefix(p, "github.com/slipway-dev/slipway/"))
	}
	return dirs, nil
}
