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

// Ci is what a change must pass: test, then suites.
func Ci(ctx context.Context) error {
	return errors.Join(Test(ctx), Suites(ctx))
}

// Suites installs what the suites run against (with apt, as root on Debian or Ubuntu), releases
// kpack into dist/ and runs the linters, every suite, and every case of the tests of which Test
// tries a few.
func Suites(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	remove, err := scratch()
	if err != nil {
		return err
	}
	defer remove()
	// The linters often use one processor only, and need nothing that is built or installed.
	var linters errgroup.Group
	linters.Go(func() error { return Linters(ctx) })
	err = prepared(ctx)
	return errors.Join(linters.Wait(), err)
}

// prepared installs, builds and releases what suites need, and runs them.
func prepared(ctx context.Context) error {
	without, err := consumer.SetUp(ctx)
	if err != nil {
		return err
	}
	env, err := ready(ctx, without, true)
	if env == nil {
		return err
	}
	errs := []error{err}
	dirs, err := suites()
	if err != nil {
		return err
	}
	var cmds []*exec.Cmd
	for _, dir := range dirs {
		cmds = append(cmds, suite(ctx, env, dir))
	}
	all, err := packageDirs(ctx, "./...")
	if err != nil {
		return err
	}
	rest, err := wholly(ctx, env, all)
	if err != nil {
		return err
	}
	cmds = slices.Concat(rest, cmds)
	if !slices.Contains(without, "gcc") {
		_, later, err := raced(all)
		if err != nil {
			return err
		}
		cmds = append(cmds,
			goTest(ctx, race, ".", slices.Concat([]string{"-count=1"}, raceFlags(), later)...),
			goTest(ctx, race, ".", slices.Concat(
				[]string{"-count=1", "-run=" + racedCommands}, raceFlags(), []string{"./cmd/slipway"})...))
	}
	return errors.Join(append(errs, together(cmds))...)
}

// ready returns the variables of suites after it has released kpack, if they read the release, and
// built the programs that they start. A program that could not be built is an error, too.
func ready(ctx context.Context, without []string, release bool) (env []string, err error) {
	if release {
		if err := target.Run(ctx, "release"); err != nil {
			return nil, err
		}
	}
	if env, err = environment(without); err != nil {
		return nil, err
	}
	return env, consumer.BuildAll(ctx, without)
}

// Suite runs one suite, such as test/pages, with what it needs, as Suites does.
func Suite(ctx context.Context, dir string) error {
	if err := isolate(); err != nil {
		return err
	}
	dir = filepath.ToSlash(filepath.Clean(dir))
	dirs, err := suites()
	if err != nil {
		return err
	}
	if !slices.Contains(dirs, dir) {
		return notSuite(dir, dirs)
	}
	without := []string{os.Getenv("SLIPWAY_WITHOUT")}
	for _, c := range consumer.All {
		if !uses(dir, c) {
			without = append(without, c.Name)
		}
	}
	if err := os.Setenv("SLIPWAY_WITHOUT", strings.Join(without, ",")); err != nil {
		return err
	}
	if without, err = consumer.SetUp(ctx); err != nil {
		return err
	}
	released, err := testsWith(`(SLIPWAY_DIST)`)
	if err != nil {
		return err
	}
	reads := slices.ContainsFunc(slices.Collect(maps.Keys(released)), func(d string) bool {
		return d == dir || strings.HasPrefix(d, dir+"/")
	})
	env, err := ready(ctx, without, reads)
	if err != nil {
		return err
	}
	cmd := suite(ctx, env, dir)
	cmd.Args = append(cmd.Args, "-v")
	return start(cmd)
}

// notSuite is the error for a directory that is none of the suites.
func notSuite(dir string, dirs []string) error {
	for _, suite := range dirs {
		if strings.HasPrefix(dir, suite+"/") {
			return fmt.Errorf("%s is in a suite: go tool mage suite %s", dir, suite)
		}
	}
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err == nil && len(tests) > 0 && filepath.IsLocal(dir) {
		return fmt.Errorf("%s is not a suite, and needs no set-up: go test ./%[1]s", dir)
	}
	return fmt.Errorf("%s is not a suite; there are %s", dir, strings.Join(slices.Sorted(slices.Values(dirs)), ", "))
}

// long are the suites that take minutes. Suites starts them before the others, the longest first,
// so that none of them runs alone at the end.
var long = []string{
	"test/torture", "test/buildkit", "test/cluster", "test/examples", "test/consumers", "test/docs",
	"test/workflows", "test/registries", "test/pages",
}

// suite returns the command that runs a suite. Results are not taken from go test's cache, which
// does not know of programs, and of releases outside of the module.
func suite(ctx context.Context, env []string, dir string) *exec.Cmd {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return goTest(ctx, env, dir, "-count=1", "-artifacts", "./...")
	}
	return goTest(ctx, env, ".", "-count=1", "-artifacts", "./"+dir)
}

// wholly returns the commands that try every case of the tests of which Test tries a few, and those
// that need a program, in all packages.
func wholly(ctx context.Context, env, all []string) ([]*exec.Cmd, error) {
	found, err := extents(all)
	if err != nil {
		return nil, err
	}
	var cmds []*exec.Cmd
	for _, dir := range apart {
		cmds = append(cmds, goTest(ctx, env, ".", "-count=1", only(found[dir]), dir))
		delete(found, dir)
	}
	var dirs, names []string
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if !strings.HasPrefix(dir, "./test/") {
			dirs, names = append(dirs, dir), append(names, found[dir]...)
		}
	}
	return append(cmds, goTest(ctx, env, ".", append([]string{"-count=1", only(names)}, dirs...)...)), nil
}

// every is the variable that lets tests try every case (package extent).
const every = "SLIPWAY_TESTS=all"

// environment returns the variables that give tests the release, the slipway that made it, and
// what to run without, and that let them try every case.
func environment(without []string) ([]string, error) {
	dist, err := filepath.Abs("dist")
	if err != nil {
		return nil, err
	}
	store, err := filepath.Abs(".slipway")
	if err != nil {
		return nil, fmt.Errorf("finding the store: %w", err)
	}
	return []string{
		every, "SLIPWAY_DIST=" + dist, "SLIPWAY_STORE=" + store,
		"SLIPWAY_COMMAND=" + filepath.Join(store, "bin", "slipway"), "SLIPWAY_WITHOUT=" + strings.Join(without, ","),
	}, nil
}
