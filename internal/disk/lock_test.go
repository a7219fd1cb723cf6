package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLock: whoever locks a directory by another path waits, says so once, and goes on when the
// first has left. Locks belong to open files, so that two goroutines are like two processes.
func TestLock(t *testing.T) {
	for name, byFile := range map[string]bool{"by directory": false, "by file": true} {
		t.Run(name, func(t *testing.T) {
			above := t.TempDir()
			dir, link := filepath.Join(above, "dist"), filepath.Join(above, "link")
			if err := errors.Join(os.Mkdir(dir, 0o755), os.Symlink(dir, link)); err != nil {
				t.Fatal(err)
			}
			lock := func(ctx context.Context, dir string, say Say) (*Dir, error) {
				return acquire(ctx, dir, say, byFile, func() error { return nil })
			}
			first, err := lock(t.Context(), dir, func(string, ...any) { t.Error("the first had to wait") })
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if _, err := lock(ctx, link, func(string, ...any) { cancel() }); !errors.Is(err, context.Canceled) {
				t.Errorf("a wait that was given up: %v", err)
			}
			waiting, second := make(chan struct{}), make(chan *Dir, 1)
			go func() {
				d, err := lock(t.Context(), link, func(string, ...any) { close(waiting) }) // twice would panic
				if err != nil {
					t.Error(err)
				}
				second <- d
			}()
			<-waiting
			select {
			case <-second:
				t.Fatal("the second did not wait")
			default:
			}
			first.Unlock()
			if d := <-second; d != nil {
				d.Unlock()
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("the lock left %v %v", left, err)
			}
		})
	}
}

// TestMake: a directory that is removed while another process waits for it is recreated, and is
// locked, not the one that is gone.
func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "dist")
	first, err := MakeLocked(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting, second := make(chan struct{}), make(chan *Dir, 1)
	go func() {
		d, err := MakeLocked(t.Context(), dir, func(string, ...any) { close(waiting) })
		if err != nil {
			t.Error(err)
		}
		second <- d
	}()
	<-waiting
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	first.Unlock()
	d := <-second
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Lock(ctx, dir, func(string, ...any) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("the directory that was made anew is not locked: %v", err)
	}
	d.Unlock()
	if _, err := Lock(t.Context(), filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// TestLockSweeps: what a process that was killed has left goes, whatever else looks like it stays.
func TestLockSweeps(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Close() // and is never committed
	sub, err := Temp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "half"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	others := []string{".slipway", ".slipway-1.tmp.bak", ".slipway-x.tmp", "slipway-1.tmp", "x.slipway-1.tmp"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scratch, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	others = append(others, filepath.Base(scratch)) // of a process that runs
	d, err := Lock(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Unlock()
	entries, err := d.ReadDir()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if len(left) != len(others) {
		t.Errorf("left are %v, want %v", left, others)
	}
}
