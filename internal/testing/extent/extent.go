// Package extent tells tests how many cases to try. `go test` and `go tool mage test` are for
// somebody who waits: of what is repeated for each request, byte or seed they try a few. `go tool
// mage ci` sets SLIPWAY_TESTS=all: it tries every case, and runs the tests that take long.
//
// A test calls these functions itself, so that `go tool mage ci` finds it.
package extent

import (
	"os"
	"testing"
)

// All reports whether every case is to be tried.
func All() bool { return os.Getenv("SLIPWAY_TESTS") == "all" }

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
