package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Usable checks that a directory can be locked and written to, or made if it is missing, and
// leaves nothing. A process that has the lock is not waited for: busy reports it. free is as
// [Free] returns it.
func Usable(ctx context.Context, dir string) (busy bool, free uint64, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return false, 0, err
	}
	at := dir
	for {
		_, err := os.Stat(at)
		if err == nil || at == filepath.Dir(at) {
			break
		}
		if !errors.Is(err, os.ErrNotExist) {
			return false, 0, err
		}
		at = filepath.Dir(at)
	}
	if at != dir { // a directory next to it, in its place
		if at, err = Scratch(at); err != nil {
			return false, 0, err
		}
		defer os.RemoveAll(at)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d, err := Lock(ctx, at, func(string, ...any) { busy = true; cancel() })
	if busy {
		free, err = Free(at)
		return true, free, err
	}
	if err != nil {
		return false, 0, err
	}
	defer d.Unlock()
	f, err := Create(at)
	if err != nil {
		return false, 0, fmt.Errorf("writing to %s: %w", at, err)
	}
	_, err = f.Write([]byte("a trial"))
	f.Abort()
	if err != nil {
		return false, 0, fmt.Errorf("writing to %s: %w", at, err)
	}
	free, err = Free(at)
	return false, free, err
}
