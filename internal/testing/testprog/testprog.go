// Package testprog gives tests the programs that they run against, and the daemons among these.
//
// A program that is not there is a failure, unless SLIPWAY_WITHOUT names the consumer it belongs
// to: `go tool mage test` puts there what it could not install (test/setup), and only then is a
// test left out.
package testprog

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Programs ends a test where one of a consumer's programs is not in PATH.
func Programs(t testing.TB, consumer string, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if without(consumer) {
			t.Skipf("%s is missing: apt-get install %s, or leave it out of SLIPWAY_WITHOUT where `go tool mage test` may install it", p, consumer)
		}
		t.Fatalf("%s is missing: run `go tool mage test`, which installs it by apt, or put %s into SLIPWAY_WITHOUT", p, consumer)
	}
}

// Root ends a test that a consumer lets only root do.
func Root(t testing.TB, consumer string) {
	t.Helper()
	switch {
	case os.Geteuid() == 0:
	case without(consumer):
		t.Skipf("%s needs root: run the tests as root, or leave it out of SLIPWAY_WITHOUT where they do", consumer)
	default:
		t.Fatalf("%s needs root: run the tests as root, or put %s into SLIPWAY_WITHOUT", consumer, consumer)
	}
}

func without(consumer string) bool {
	return slices.Contains(strings.Split(os.Getenv("SLIPWAY_WITHOUT"), ","), consumer)
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

// Missing ends a test to which this machine does not give what a consumer needs.
func Missing(t testing.TB, consumer string, err error) {
	t.Helper()
	if without(consumer) {
		t.Skipf("%v: leave %s out of SLIPWAY_WITHOUT where it works", err, consumer)
	}
	t.Fatalf("%v: run the tests where that is allowed, or put %s into SLIPWAY_WITHOUT", err, consumer)
}
