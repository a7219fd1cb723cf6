package release_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// TestCheckStops interrupts a check and a plan: they end with the reason, and leave nothing.
func TestCheckStops(t *testing.T) {
	p, err := product.Load(t.Context(), product.Options{Path: hello(t)})
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("interrupted")
	stop(reason)
	if _, err := release.Check(ctx, p); !errors.Is(err, reason) {
		t.Errorf("check: %v, want %v", err, reason)
	}
	if _, err := release.MakePlan(ctx, p, release.Options{Out: t.TempDir(), Store: t.TempDir()}); !errors.Is(err,
		reason) {
		t.Errorf("plan: %v, want %v", err, reason)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
