package store

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock keeps other processes out of the store until the returned function is called. While another one holds it, Lock waits;
// waiting is told through the callback, once.
func (s *Store) Lock(ctx context.Context, waiting func()) (unlock func(), err error) {
	l := flock.New(filepath.Join(s.dir, "lock"))
	ok, err := l.TryLock()
	if err == nil && !ok {
		waiting()
		ok, err = l.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err != nil || !ok {
		return nil, fmt.Errorf("waiting for another slipway to leave %s: %w", s.dir, err)
	}
	return func() { l.Unlock() }, nil //nolint:errcheck // the process ends or the file is closed: the lock is gone either way
}
