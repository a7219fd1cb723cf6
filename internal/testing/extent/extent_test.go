package extent

import (
	"slices"
	"testing"
)

// TestExtents: a few of the cases, or all, and no other word.
func TestExtents(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6}
	t.Setenv("SLIPWAY_TESTS", "")
	if some, n := Some(cases, 3), Number(2, 9); !slices.Equal(some, []int{0, 3, 6}) || n != 2 || All() {
		t.Errorf("few: %v, %d, %v", some, n, All())
	}
	t.Setenv("SLIPWAY_TESTS", "all")
	if some, n := Some(cases, 3), Number(2, 9); !raced && (len(some) != len(cases) || n != 9 || !All()) {
		t.Errorf("all: %v, %d, %v", some, n, All())
	}
	t.Setenv("SLIPWAY_TESTS", "some")
	defer func() {
		if said := recover(); said != "SLIPWAY_TESTS=some: it is all, or not set" {
			t.Errorf("another word: %v", said)
		}
	}()
	All()
}
