//go:build mage

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
)

// Test runs the tests of Slipway's own code, its commands among them, as any user with Go and git.
// Packages that have not changed since their tests passed are not tested again. The last lines name
// the suites that Test does not run, and what each needs.
func Test(ctx context.Context) error {
	if err := isolate(); err != nil {
		return err
	}
	remove, err := scratch()
	if err != nil {
		return err
	}
	defer remove()
	cmds, err := own(ctx)
	if err != nil {
		return err
	}
	compile(ctx)
	if err := together(cmds); err != nil {
		return err
	}
	return notRun()
}

// compile compiles all tests of the main module into Go's build cache: go commands that run
// together would each compile the missing packages. Tests that do not compile fail when they run.
func compile(ctx context.Context) {
	cmd := command(ctx, ".", "go", "list", "-trimpath", "-export", "-deps", "-test", "./...")
	cmd.Env, cmd.Stdout = append(os.Environ(), rarely, "CGO_ENABLED=0"), io.Discard
	if err := start(cmd); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// apart are packages of the main module whose tests take longest. Test starts them first: one go
// test would run them one after the other.
var apart = []string{"./cmd/slipway"}

// own returns the commands that test the main module: with the race detector where it can find
// races and there is a C compiler, and without it elsewhere.
func own(ctx context.Context) ([]*exec.Cmd, error) {
	all, err := packageDirs(ctx, "./...")
	if err != nil {
		return nil, err
	}
	gcc, _ := exec.LookPath("gcc")
	if gcc == "" {
		fmt.Fprintln(os.Stderr, "gcc is missing: tests run without the race detector, which needs it")
		return []*exec.Cmd{goTest(ctx, nil, ".", all...)}, nil
	}
	found, err := extents(all)
	if err != nil {
		return nil, err
	}
	now, _, err := raced(all)
	if err != nil {
		return nil, err
	}
	var plain, slow, names []string
	for _, dir := range all {
		switch {
		case !slices.Contains(now, dir):
			if !slices.Contains(apart, dir) {
				plain = append(plain, dir)
			}
		case len(found[dir]) > 0:
			slow, names = append(slow, dir), append(names, found[dir]...)
		}
	}
	var cmds []*exec.Cmd
	for _, dir := range apart {
		cmds = append(cmds, goTest(ctx, nil, ".", dir))
	}
	return append(cmds,
		goTest(ctx, race, ".", append(raceFlags(), now...)...),
		goTest(ctx, nil, ".", plain...),
		goTest(ctx, nil, ".", append([]string{only(names)}, slow...)...),
	), nil
}

// race are the variables of tests with the race detector.
var race = []string{"CGO_ENABLED=1"}

// only returns the flag of go test for the tests of these names.
func only(names []string) string {
	slices.Sort(names)
	return "-run=^(" + strings.Join(slices.Compact(names), "|") + ")$"
}

// goTest runs `go test` in a module:
//   - with -trimpath, so that packages that suites or another clone compiled are in Go's build cache;
//   - without symbols and debugging information, which halves the work of the linker, whose results
//     are not cached;
//   - with more than the ten minutes that are too short for the race detector on a busy machine;
//   - without go vet, which Linters runs on all tests once: go test would repeat it with and without
//     the race detector, on all imports of a test.
func goTest(ctx context.Context, env []string, dir string, args ...string) *exec.Cmd {
	flags := []string{"go", "test", "-trimpath", "-vet=off", "-ldflags=-s -w", "-timeout=60m"}
	cmd := command(ctx, dir, append(flags, args...)...)
	cmd.Env = append(append(os.Environ(), rarely, "CGO_ENABLED=0"), env...)
	if os.Getenv("CI") != "" && !slices.Contains(args, "-count=1") { // CI sees no old results
		cmd.Args = slices.Insert(cmd.Args, 2, "-count=1")
	}
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

// notRun prints the suites that Test does not run, and what each needs.
func notRun() error {
	dirs, err := suites()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		var needs []string
		for _, c := range consumer.All {
			if uses(dir, c) {
				needs = append(needs, c.Name)
			}
		}
		if needs == nil {
			needs = []string{"Go modules, or some minutes"}
		}
		fmt.Fprintf(os.Stderr, "not run: %s, which needs %s: go tool mage suite %s\n",
			dir, strings.Join(needs, ", "), dir)
	}
	return nil
}

// uses reports whether a suite, or a package below it, uses a consumer.
func uses(dir string, c consumer.Consumer) bool {
	return slices.ContainsFunc(c.Suites, func(s string) bool { return s == dir || strings.HasPrefix(s, dir+"/") })
}

// suites returns the directories of the suites, those of the main module among them, the longest
// first.
func suites() ([]string, error) {
	dirs, err := modules()
	if err != nil {
		return nil, err
	}
	ending, err := testsWith(`(extent\.Suite)\(`)
	if err != nil {
		return nil, err
	}
	for dir := range ending {
		dirs = append(dirs, filepath.ToSlash(dir))
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return dir == "." || slices.Contains(long, dir) })
	slices.Sort(dirs)
	return append(slices.Clone(long), dirs...), nil
}
