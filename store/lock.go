package store

import (
	"context"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Lock keeps other processes out of the store until the returned function is called, and removes
// what processes that were killed have left half written. While another process holds the store,
// Lock waits; waiting is told through the callback, once.
func (s *Store) Lock(ctx context.Context, waiting func()) (unlock func(), err error) {
	d, err := disk.Lock(ctx, s.dir, waiting)
	if err != nil {
		return nil, err
	}
	s.sweep()
	return func() {
		s.sweep() // a program that was interrupted, such as the go command, may have left something
		d.Unlock()
	}, nil
}

// sweep empties the directory of temporary files. [Open] has made it; without it, nothing can be
// written.
func (s *Store) sweep() {
	left, _ := os.ReadDir(s.Temp())
	for _, e := range left {
		os.RemoveAll(filepath.Join(s.Temp(), e.Name()))
	}
}

// Is reports whether a directory is a store.
func Is(dir string) bool {
	for _, name := range []string{"oci-layout", "cache", "work"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
