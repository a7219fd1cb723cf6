package release

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// Hold makes the output directory dir where it is missing, keeps other processes out of it until
// the returned function is called, and removes what processes that were killed have left half
// written. The caller has locked its store, if it has one. A directory that is new, or empty, gets
// a .gitignore; a store is an error.
func Hold(ctx context.Context, dir string, pr *progress.Printer) (unlock func(), err error) {
	if store.Is(dir) {
		return nil, fmt.Errorf("%s is a store of built images: name another directory with -out", dir)
	}
	d, err := disk.Make(ctx, dir, func() { pr.Printf("waiting for another slipway to leave %s …", dir) })
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	disk.Sweep(filepath.Join(dir, filepath.Dir(binaryPath))) // the lock is for what is below, too
	entries, err := d.ReadDir()
	if err == nil && len(entries) == 0 {
		err = disk.Ignore(dir)
	}
	if err != nil {
		d.Unlock()
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	return d.Unlock, nil
}
