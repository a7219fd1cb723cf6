//go:build mage

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/target"
)

// alone matches the tests that run only without the race detector, which makes them five to ten
// times slower: tests that measure memory, kill processes, repeat a release or verification for
// each way to damage or end it, answer each request with each failure, try every platform, or
// render charts that are drawn or the many manifests of a large product. Other tests cover the
// same goroutines.
const alone = `TestMemory\w*|TestInterrupt|TestTorture|TestDamage|TestDamageFetched|TestBaseLayers|TestSplitKilled|TestInterrupted|TestFloatingCut|TestAttacks|TestFlips?|TestLimits|TestUnpackingStops|TestBomb|TestTooManySubjects|TestDrawn|TestTekton|TestVerifyFlips|TestManifestOnlyForged|TestGzipForged|Test\w+Failures|TestMendDrawn|TestVerdicts|TestEveryPlatform`

// both matches the tests that run fewer cases under the race detector and
// therefore also run without it.
const both = `TestSameBytes`

// commands are the packages whose tests start slipway many times. A start takes a second
// with the race detector, so only racedCommands of them run with it.
var commands = []string{"./cmd/slipway", "./test/..."}

const racedCommands = `^TestServe$|^TestScript$/^(push|stages)$`

// Test installs what the tests run against (with apt, as root on Debian or Ubuntu),
// releases kpack into dist/ and runs every test.
func Test(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	without, err := consumer.SetUp(ctx)
	if err != nil {
		return err
	}
	return test(ctx, without)
}

// test is Test with the programs that are installed.
func test(ctx context.Context, without []string) error {
	if err := target.Run(ctx, "release"); err != nil {
		return err
	}
	env, err := environment(strings.Join(without, ","))
	if err != nil {
		return err
	}
	dirs, err := modules()
	if err != nil {
		return err
	}
	var errs []error
	if !slices.Contains(without, "cluster") {
		errs = append(errs, controlPlane(ctx))
	}
	errs = append(errs, consumer.BuildAll(ctx, without))
	cmds, err := mainTests(ctx, env, !slices.Contains(without, "gcc"))
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	others := slices.DeleteFunc(dirs, func(dir string) bool { return dir == "." || slices.Contains(long, dir) })
	for _, dir := range slices.Concat(long, others) {
		cmds = append(cmds, goTest(ctx, env, dir, "./..."))
	}
	return errors.Join(append(errs, together(cmds))...)
}

// apart are packages of the main module whose tests take minutes, in the order in which they are
// started: one go test would run them one after the other, and the longest, that waits most, last.
var apart = []string{
	"./test/torture", "./test/buildkit", "./cmd/slipway", "./test/workflows", "./test/examples",
}

// long are the suites of nested modules that take minutes. Test starts them before the others, the
// longest first, so that none of them runs alone at the end.
var long = []string{"test/cluster", "test/consumers", "test/docs", "test/registries", "test/pages"}

// mainTests returns the commands that test the main module, with the race detector where it can
// find races, the longest first.
func mainTests(ctx context.Context, env []string, race bool) ([]*exec.Cmd, error) {
	if !race {
		return []*exec.Cmd{goTest(ctx, env, ".", "./...")}, nil
	}
	found, err := testsWith(`(?m)^func (` + alone + `|` + both + `)\(`)
	if err != nil {
		return nil, err
	}
	starters, err := packageDirs(ctx, commands...)
	if err != nil {
		return nil, err
	}
	all, err := packageDirs(ctx, "./...")
	if err != nil {
		return nil, err
	}
	var concurrent []string
	plain := slices.DeleteFunc(slices.Clone(starters), func(dir string) bool { return slices.Contains(apart, dir) })
	for _, dir := range all {
		if slices.Contains(starters, dir) {
			continue
		}
		switch yes, err := isConcurrent(dir); {
		case err != nil:
			return nil, err
		case yes:
			concurrent = append(concurrent, dir)
		default:
			plain = append(plain, dir)
		}
	}
	var slow []string
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if dir = "./" + filepath.ToSlash(dir); slices.Contains(concurrent, dir) {
			slow = append(slow, dir)
		}
	}
	raced := append(slices.Clone(env), "CGO_ENABLED=1")
	cmds := []*exec.Cmd{
		goTest(ctx, raced, ".", slices.Concat(raceFlags(), []string{"-skip=^(" + alone + ")$"}, concurrent)...),
	}
	for _, dir := range apart {
		cmds = append(cmds, goTest(ctx, env, ".", dir))
	}
	return append(cmds,
		goTest(ctx, env, ".", plain...),
		goTest(ctx, env, ".", append([]string{"-run=^(" + alone + "|" + both + ")$"}, slow...)...),
		goTest(ctx, raced, ".", append(raceFlags(), "-run="+racedCommands, "./cmd/slipway")...),
	), nil
}

// goTest runs `go test` in a module:
//   - without the test cache, because go test does not notice changes to the release, which is
//     outside of nested modules;
//   - with -trimpath, so that packages that suites or another clone compiled are in Go's build cache;
//   - without symbols and debugging information, which halves the work of the linker, whose results
//     are not cached;
//   - with more than the ten minutes that are too short for the race detector on a busy machine;
//   - without go vet, which Linters runs on all tests once: go test would repeat it with and without
//     the race detector, on all imports of a test;
//   - with the artifacts of tests, which are pictures of pages, in _artifacts of the module.
func goTest(ctx context.Context, env []string, dir string, args ...string) *exec.Cmd {
	cmd := command(ctx, dir,
		append([]string{
			"go", "test", "-trimpath", "-count=1", "-vet=off", "-ldflags=-s -w", "-artifacts", "-timeout=60m",
		}, args...)...)
	cmd.Env = append(append(os.Environ(), rarely), env...)
	return cmd
}

// rarely lets the garbage collector run less often: tests and the programs that they start need
// little memory for a short time.
const rarely = "GOGC=400"

// isolate clears the user's environment of settings for releases. A release made for
// tests is a snapshot dated by its sources, and never goes to the user's registry.
func isolate() error {
	return errors.Join(os.Unsetenv("SLIPWAY_REGISTRY"), os.Unsetenv("SLIPWAY_VERSION"),
		os.Unsetenv("SOURCE_DATE_EPOCH"))
}

// Ci is what a change must pass: linters, then test. Installing waits for the network and the
// disk, and the linters need nothing of it: both run at once.
func Ci(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	var without []string
	var g errgroup.Group
	g.Go(func() (err error) {
		without, err = consumer.SetUp(ctx)
		return err
	})
	found := Linters(ctx)
	if err := g.Wait(); err != nil {
		return errors.Join(found, err)
	}
	return errors.Join(found, test(ctx, without))
}

// environment returns the variables that give tests the release, the slipway that made it, and
// what to run without.
func environment(without string) ([]string, error) {
	dist, err := filepath.Abs("dist")
	if err != nil {
		return nil, err
	}
	store, err := filepath.Abs(".slipway")
	if err != nil {
		return nil, fmt.Errorf("finding the store: %w", err)
	}
	return []string{
		"SLIPWAY_DIST=" + dist, "SLIPWAY_STORE=" + store,
		"SLIPWAY_COMMAND=" + filepath.Join(store, "bin", "slipway"), "SLIPWAY_WITHOUT=" + without,
	}, nil
}
