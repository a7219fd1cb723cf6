// Package extent tells tests how many cases to try. `go test` and `go tool mage test` are for
// somebody who waits: a test that repeats one thing for each request, byte or seed tries a few of
// them. `go tool mage ci` sets SLIPWAY_TESTS=all: every case is tried, and the tests that take long
// run, too.
//
// A test calls these functions itself, so that `go tool mage ci` finds it.
package extent

import (
	"fmt"
	"os"
	"testing"
)

// All reports whether every case is to be tried. With the race detector none but a few are.
func All() bool {
	switch set := os.Getenv("SLIPWAY_TESTS"); set {
	case "":
		return false
	case "all":
		return !raced
	default:
		panic("SLIPWAY_TESTS=" + set + ": it is all, or not set")
	}
}

// Long skips a test unless every case is to be tried. reason is why the test takes long.
func Long(tb testing.TB, reason string) {
	tb.Helper()
	if !All() {
		tb.Skipf("%s: go tool mage ci runs it, and so does SLIPWAY_TESTS=all", reason)
	}
}

// Number returns few, or all if every case is to be tried.
func Number[N int | int64 | uint64](few, all N) N {
	if All() {
		return all
	}
	return few
}

// Some returns every n-th case, beginning with the first, or all if every case is to be tried.
func Some[T any](cases []T, n int) []T {
	if All() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// Suite ends the tests of a package, before the first of them, unless every case is to be tried.
// needs is what the package needs besides Go, or why it takes long.
func Suite(needs string) {
	if !All() {
		fmt.Printf("not run, since it needs %s: go tool mage ci runs it, and go tool mage suite runs it alone\n", needs)
		os.Exit(0)
	}
}

// Plain skips a test in a program with the race detector, which makes it ten times as slow, where
// others test the same goroutines. `go tool mage test` runs it without.
func Plain(tb testing.TB) {
	tb.Helper()
	if raced {
		tb.Skip("the race detector makes it slow: go test runs it without -race")
	}
}
