// Package testprog gives tests the programs that they run against, and runs the daemons among
// these. Package consumer lists them.
//
// A test fails where its program is missing, unless SLIPWAY_WITHOUT names the consumer that the
// program belongs to: `go tool mage test` puts there what it could not install, and only then is
// the test skipped.
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
)

// Need ends the test if one of the consumer's commands is not in PATH, or if the consumer needs
// root and the test has another user.
func Need(t testing.TB, name string) {
	t.Helper()
	c := find(t, name)
	if command := c.Lacking(); command != "" {
		Missing(t, name, fmt.Errorf("%s is missing: run `go tool mage test`, which installs it by apt", command))
	}
	if c.Root && os.Geteuid() != 0 {
		Missing(t, name, fmt.Errorf("%s needs root: run the tests as root", name))
	}
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
