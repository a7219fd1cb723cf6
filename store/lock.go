package store

import (
	"context"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Lock keeps other processes out of the store until the returned function is called, and removes
// unfinished files of processes that were killed. While another process has the lock, Lock waits,
// and reports that once by say.
func (s *Store) Lock(ctx context.Context, say disk.Say) (unlock func(), err error) {
	d, err := disk.Lock(ctx, s.dir, say)
	if err != nil {
		return nil, err
	}
	s.sweep()
	return func() {
		s.sweep() // an interrupted program, such as the go command, may leave files
		d.Unlock()
	}, nil
}

// sweep empties the directory of temporary files, which [Open] has made.
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
