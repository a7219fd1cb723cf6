package product_test

import (
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestOnce leaves the reason to the first line that has it.
func TestOnce(t *testing.T) {
	got := product.Once([]string{"one", "two: run it" + product.Since, "three: run it" + product.Since, "four"})
	if want := []string{"one", "two: run it" + product.Since, "three: run it", "four"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
