package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestProgram: a program is made once, gets its place when it is complete, and whoever makes it at
// the same time gets one, too.
func TestProgram(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	want := filepath.Join(root, "slipway", "tools", "a-1", "a")
	broken := errors.New("it does not compile")
	half := func(_ context.Context, dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("half"), 0o755), broken)
	}
	if _, err := Program(t.Context(), "tools/a-1", "a", half); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(want)); err != nil || len(left) > 0 {
		t.Errorf("left of a build that failed: %v (%v)", left, err)
	}

	const checkouts = 3
	var building, done sync.WaitGroup
	building.Add(checkouts)
	for range checkouts {
		done.Go(func() {
			path, err := Program(t.Context(), "tools/a-1", "a", func(_ context.Context, dir string) error {
				building.Done()
				building.Wait() // all are at it
				return os.WriteFile(filepath.Join(dir, "a"), []byte("whole"), 0o755)
			})
			if err != nil || path != want {
				t.Errorf("the program is %s (%v)", path, err)
			}
		})
	}
	done.Wait()
	path, err := Program(t.Context(), "tools/a-1", "a", half)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
		t.Errorf("the program is %q (%v)", text, err)
	}
	if left, err := os.ReadDir(filepath.Dir(want)); err != nil || len(left) != 1 {
		t.Errorf("in the cache are %v (%v)", left, err)
	}
}
