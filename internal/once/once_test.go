package once_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/internal/once"
)

// TestMap: work is done once for each key, whoever asks and however it ends.
func TestMap(t *testing.T) {
	var m once.Map[int]
	var calls atomic.Int64
	failed := errors.New("failed")
	var g sync.WaitGroup
	for range 10 {
		for key, want := range map[string]error{"good": nil, "bad": failed} {
			g.Go(func() {
				n, err := m.Do(key, func() (int, error) {
					calls.Add(1)
					return len(key), want
				})
				if n != len(key) || !errors.Is(err, want) {
					t.Errorf("%s: %d, %v", key, n, err)
				}
			})
		}
	}
	g.Wait()
	if n := calls.Load(); n != 2 {
		t.Errorf("the work was done %d times, not 2", n)
	}
	if _, err := m.Succeed("bad", func() (int, error) { return 1, nil }); !errors.Is(err, failed) {
		t.Errorf("work that was done before is %v", err)
	}
	if n, err := m.Succeed("bad", func() (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("forgotten work is %d, %v", n, err)
	}
	if n, err := m.Do("bad", func() (int, error) { return 2, nil }); n != 1 || err != nil {
		t.Errorf("work that has succeeded is %d, %v", n, err)
	}
}
