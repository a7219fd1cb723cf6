//go:build mage

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// concurrency matches code that starts goroutines, serves requests, shares what goroutines use, or
// gives registry/transfer functions, which that calls from its goroutines.
var concurrency = regexp.MustCompile(
	`(?m)^\s*go [a-zA-Z]|\berrgroup\b|\bsync\.|"sync/atomic"|\.Go\(|\.Parallel\(|\bAfterFunc\(|\bhttptest\.|slipway/registry/transfer"`)

// raceFlags are the flags of go test with the race detector. The check of unsafe pointers, which
// comes with it, is off: slipway does not use them. Debugging information, which the linker
// removes all the same, takes a seventh of the time to compile. Packages whose loops over bytes
// take most of the time are not instrumented (ADR 57). None of them calls sync.Map or another
// generic function that synchronizes: the linker would take what they compile of it, without the
// detector, for all packages, and false races would be reported. So encoding/json is instrumented.
func raceFlags() []string {
	flags := []string{"-race", "-gcflags=all=-dwarf=false -d=checkptr=0"}
	for _, p := range []string{
		"compress/...", "github.com/klauspost/compress/...", "github.com/mikelolasagasti/xz/...",
		"github.com/ulikunitz/xz/...",
		"golang.org/x/crypto/scrypt", "hash/...",
	} {
		flags = append(flags, "-gcflags="+p+"=-race=false -dwarf=false -d=checkptr=0")
	}
	return flags
}

// racedLater are packages whose tests compile programs, release products, or link the types of
// Kubernetes. With the race detector, or compiled for it, that takes minutes.
var racedLater = []string{
	"./airgap", "./assemble", "./audit", "./compile/program", "./containerfile", "./evidence", "./internal/renaming",
	"./lint/nodes", "./product/pin", "./publish", "./publish/promote", "./release", "./release/doctor",
	"./render/kustomize/engine", "./render/workload", "./shard/handoff", "./shard/jobs", "./target",
}

// neverRaced are packages whose tests cannot do without Helm's libraries, which import Kubernetes'
// client: with the race detector that takes minutes to compile, and programs and tests that render
// charts do without them then. render/chart shares its memory of what it rendered behind one lock,
// and tests of scaffold share nothing.
var neverRaced = []string{"./render/chart", "./scaffold"}

// isCommand reports whether tests of a package start slipway many times. A start takes a second
// with the race detector, so only racedCommands of them run with it.
func isCommand(dir string) bool { return dir == "./cmd/slipway" || strings.HasPrefix(dir, "./test/") }

const racedCommands = `^TestServe$|^TestScript$/^(push|stages)$`

// raced returns the packages that Test runs with the race detector, and those that Suites does.
// Test takes packages whose own code has goroutines, and Suites racedLater and packages of which
// only tests have some. Where neither has, a race is one between the goroutines of another package,
// which that one's tests run with the race detector. A test binary with it takes twice the time to
// link, and the tests of half the packages do not need it.
func raced(dirs []string) (now, later []string, err error) {
	for _, dir := range dirs {
		own, tests, err := isConcurrent(dir)
		switch {
		case err != nil:
			return nil, nil, err
		case !own && !tests || isCommand(dir) || slices.Contains(neverRaced, dir):
		case own && !slices.Contains(racedLater, dir):
			now = append(now, dir)
		default:
			later = append(later, dir)
		}
	}
	return now, later, nil
}

// isConcurrent reports whether the code of a package, and that of its tests, has goroutines.
func isConcurrent(dir string) (own, tests bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		switch {
		case err != nil:
			return false, false, err
		case !concurrency.Match(text):
		case strings.HasSuffix(file, "_test.go"):
			tests = true
		default:
			own = true
		}
	}
	return own, tests, nil
}

// packageDirs lists the directories of the packages that patterns match: ./image/base.
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
