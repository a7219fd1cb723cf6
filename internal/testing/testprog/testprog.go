// Package testprog gives tests the programs that they run against, and runs the daemons among
// these. Package consumer lists them.
//
// A test that asks for a program is skipped by `go test` and `go tool mage test`, which need none.
// In `go tool mage ci` it fails where the program is missing, unless SLIPWAY_WITHOUT names the
// consumer that the program belongs to: the target puts there what it could not install.
package testprog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// Need ends the test if one of the consumer's commands is not in PATH, or if the consumer needs
// root and the test has another user.
func Need(t testing.TB, name string) {
	t.Helper()
	c := find(t, name)
	extent.Long(t, "needs "+name)
	if err := usable(c); err != nil {
		Missing(t, name, err)
	}
}

// usable reports why a consumer cannot be used here: it lacks a command, or root.
func usable(c consumer.Consumer) error {
	if command := c.Lacking(); command != "" {
		return fmt.Errorf("%s is missing: run `go tool mage ci`, which installs it by apt", command)
	}
	if c.Root && os.Geteuid() != 0 {
		return fmt.Errorf("%s needs root: run the tests as root", c.Name)
	}
	return nil
}

// Missing ends a test because err keeps it from using a consumer: it skips the test where
// SLIPWAY_WITHOUT names the consumer and fails it elsewhere.
func Missing(t testing.TB, name string, err error) {
	t.Helper()
	find(t, name)
	if consumer.Without(name) {
		t.Skipf("SLIPWAY_WITHOUT leaves %s out: %v", name, err)
	}
	t.Fatalf("%v, or put %s into SLIPWAY_WITHOUT", err, name)
}

// built are the programs that a test binary has asked for. Each is built once, however many tests
// ask for it at the same time.
var built sync.Map // name → func() (string, error)

// Built returns the path of a program that the consumer builds from its Go module.
func Built(t testing.TB, name, program string) string {
	t.Helper()
	c := find(t, name)
	extent.Long(t, "needs "+program)
	if consumer.Without(name) {
		Missing(t, name, errors.New("it is not built"))
	}
	build, _ := built.LoadOrStore(program, sync.OnceValues(func() (string, error) {
		return c.Build(t.Context(), program)
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func find(t testing.TB, name string) consumer.Consumer {
	t.Helper()
	c, ok := consumer.Find(name)
	if !ok {
		t.Fatalf("package consumer has no entry %s", name)
	}
	return c
}

// Output runs a program and returns what it prints to standard output. What it says on standard
// error is logged where it fails.
func Output(ctx context.Context, t testing.TB, program string, args ...string) (string, error) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("%s %s: %v\n%s", program, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

// Run runs a program that has to succeed, and returns what it prints to standard output.
func Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := Output(t.Context(), t, program, args...)
	if err != nil {
		t.FailNow()
	}
	return out
}

// Condition answers the conditions of scripts about programs: [program:NAME] is whether a test may
// use the consumer NAME. A program that is missing is an error, as in [Need].
func Condition(condition string) (bool, error) {
	name, ok := strings.CutPrefix(condition, "program:")
	if !ok {
		return false, fmt.Errorf("unknown condition %s", condition)
	}
	c, ok := consumer.Find(name)
	if !ok {
		return false, fmt.Errorf("package consumer has no entry %s", name)
	}
	if !extent.All() || consumer.Without(name) {
		return false, nil
	}
	err := usable(c)
	return err == nil, err
}
