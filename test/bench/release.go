package main

import (
	"path/filepath"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// readRelease returns the lock in a release directory and the store with its images.
func readRelease(dist, dir string) (*lock.Lock, *store.Store, error) {
	l, err := lock.Read(filepath.Join(dist, lock.Name))
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(dir)
	return l, st, err
}
