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
	if left, err := os.ReadDir(filepath.Dir(want)); err != nil || len(left) != 2 { // its digest, too
		t.Errorf("in the cache are %v (%v)", left, err)
	}
}

// TestDamaged: a program that has changed since it was built is built again, once.
func TestDamaged(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	builds := 0
	program := func() {
		t.Helper()
		path, err := Program(t.Context(), "tools/b-1", "b", func(_ context.Context, dir string) error {
			builds++
			return os.WriteFile(filepath.Join(dir, "b"), []byte("whole"), 0o755)
		})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
			t.Errorf("the program is %q (%v)", text, err)
		}
	}
	path := filepath.Join(root, "slipway", "tools", "b-1", "b")
	for want, damage := range []func() error{
		1: func() error { return nil },
		2: func() error { return os.WriteFile(path, []byte("others"), 0o755) },
		3: func() error { return os.Truncate(path, 2) },
		4: func() error { return os.Remove(path + suffix) },
		5: func() error { return os.WriteFile(path+suffix, nil, 0o644) },
		6: func() error { return os.Remove(path) },
	} {
		if damage == nil {
			continue
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		program()
		program()
		if builds != want {
			t.Errorf("it was built %d times, want %d", builds, want)
		}
	}
}

// TestDirectory: a directory in place of a program is compared with its digest, too.
func TestDirectory(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	for range 2 {
		path, err := Program(t.Context(), "node", "modules", func(_ context.Context, dir string) error {
			if err := os.Mkdir(filepath.Join(dir, "modules"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "modules", "a.js"), []byte("whole"), 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(path, "a.js")
		if text, err := os.ReadFile(file); err != nil || string(text) != "whole" {
			t.Errorf("a.js is %q (%v)", text, err)
		}
		if err := os.WriteFile(file, []byte("others"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
